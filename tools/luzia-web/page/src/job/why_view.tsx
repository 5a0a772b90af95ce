// Why a job is in its state: the events behind it, each with its cause and a link to its evidence.
import { Fragment } from 'preact';
import { clock, day, duration, inFull } from '../base/format.ts';
import { ofJob } from '../base/concerns.ts';
import { useReading } from '../base/reading.ts';
import { jobHref } from '../base/route.ts';
import type { Why } from '../base/shapes.ts';
import { Said, withoutCommands } from '../base/text.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { eventText, sourceText, toneOf } from './event_text.ts';

export function WhyView({ job }: { job: string }) {
  const { value, problem, loading } = useReading<Why>(`/v1/jobs/${job}/why`, ofJob(job));
  if (!value) return <Trouble problem={problem} loading={loading} />;
  let lastDay = '';
  return (
    <div class="why">
      {value.blocked_why && (
        <p class="notice warn">
          <Said text={withoutCommands(value.blocked_why)} />
        </p>
      )}
      {value.estimated_wait_seconds ? (
        <p class="quiet">It starts in about {duration(value.estimated_wait_seconds)}.</p>
      ) : null}
      <ol class="why-list">
        {value.events.map((event) => {
          const itsDay = day(event.time_us);
          const newDay = itsDay !== lastDay;
          lastDay = itsDay;
          const { log_from: from, log_to: to } = event.evidence;
          const seen = event.evidence.kind !== 'asserted' && to !== null && to > 0;
          return (
            <Fragment key={event.position}>
              {newDay && <li class="why-day">{itsDay}</li>}
              <li class={`why-event tone-${toneOf(event)}`} id={`event-${event.position}`}>
                <time title={inFull(event.time_us)}>{clock(event.time_us, 'milli')}</time>
                <span class="why-dot" aria-hidden="true" />
                <div>
                  <p>
                    <Said text={eventText(event)} most={1200} />
                  </p>
                  <p class="quiet">
                    <span class="mono">#{event.position}</span>
                    {event.cause !== null && (
                      <>
                        {' '}
                        because of <span class="mono">#{event.cause}</span>
                      </>
                    )}
                    {', '}
                    <Said text={sourceText(event)} most={200} />
                    {seen && (
                      <>
                        {' '}
                        <a
                          class="evidence"
                          href={jobHref(job, 'output', { attempt: event.evidence.attempt ?? 0, byte: from ?? 0, to })}>
                          bytes {from}–{to}
                        </a>
                      </>
                    )}
                  </p>
                </div>
              </li>
            </Fragment>
          );
        })}
      </ol>
    </div>
  );
}
