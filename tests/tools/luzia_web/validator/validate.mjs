// Reads an OpenAPI document from standard input; exit status 1: it is not valid.
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";

const validator = new Validator();
const result = await validator.validate(JSON.parse(readFileSync(0, "utf8")));
if (!result.valid) console.error(JSON.stringify(result.errors, null, 2));
if (validator.version !== "3.1") console.error(`version ${validator.version}`);
process.exit(result.valid && validator.version === "3.1" ? 0 : 1);
