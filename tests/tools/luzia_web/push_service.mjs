// A push service and the browser behind it, with node's standard library alone: it takes pushes at any address,
// checks the sender's token (RFC 8292), decrypts the text with the browser's keys (RFC 8291), and prints each push as
// a line of JSON. The first line says where it listens and which keys the browser has. POST /answer {"status","headers"}
// says how the next pushes are answered; with "held": true they are, when the next POST /answer comes.
import { createDecipheriv, createECDH, createHmac, createPublicKey, randomBytes, verify } from 'node:crypto';
import { createServer } from 'node:http';

const browser = createECDH('prime256v1');
browser.generateKeys();
const auth = randomBytes(16);
let answer = { status: 201, headers: {} };
const held = []; // what lets each answer go

const hmac = (key, ...texts) => texts.reduce((hash, text) => hash.update(text), createHmac('sha256', key)).digest();
const hkdf = (salt, secret, info, size) => hmac(hmac(salt, secret), info, Buffer.from([1])).subarray(0, size);

/// Throws if the body is none that a browser would take.
function decrypted(body) {
  const salt = body.subarray(0, 16);
  const recordSize = body.readUInt32BE(16);
  const point = body.subarray(21, 21 + body[20]);
  const record = body.subarray(21 + body[20]);
  if (record.length > recordSize) throw new Error('more than one record');
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), point]);
  const secret = hkdf(auth, browser.computeSecret(point), info, 32);
  const key = hkdf(salt, secret, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = hkdf(salt, secret, Buffer.from('Content-Encoding: nonce\0'), 12);
  const cipher = createDecipheriv('aes-128-gcm', key, nonce);
  cipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()]);
  const end = padded.lastIndexOf(2);
  if (end < 0 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('bad padding');
  return padded.subarray(0, end).toString('utf8');
}

/// The claims of the token and the sender's key; throws if the signature is not good.
function sender(authorization) {
  const [, token, key] = authorization.match(/^vapid t=([\w.-]+), k=([\w-]+)$/);
  const point = Buffer.from(key, 'base64url');
  const jwk = { kty: 'EC', crv: 'P-256', x: point.toString('base64url', 1, 33), y: point.toString('base64url', 33) };
  const [head, claims, signature] = token.split('.');
  const good = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!good) throw new Error('the token is not signed with its key');
  return { key, ...JSON.parse(Buffer.from(claims, 'base64url')) };
}

function take(request, body) {
  const { ttl, urgency, topic, authorization } = request.headers;
  const push = { path: request.url, status: answer.status, ttl, urgency, topic };
  try {
    if (request.headers['content-encoding'] !== 'aes128gcm') throw new Error('another encoding');
    return { ...push, sender: sender(authorization), text: JSON.parse(decrypted(body)) };
  } catch (error) {
    return { ...push, wrong: String(error) };
  }
}

const server = createServer(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const body = Buffer.concat(pieces);
  if (request.url === '/answer') {
    answer = JSON.parse(body);
    for (const go of held.splice(0)) go();
    return response.end();
  }
  console.log(JSON.stringify(take(request, body)));
  if (answer.held) await new Promise((go) => held.push(go));
  response.writeHead(answer.status, answer.headers).end();
});
server.listen(0, '127.0.0.1', () => {
  const keys = { p256dh: browser.getPublicKey('base64url'), auth: auth.toString('base64url') };
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}`, ...keys }));
});
