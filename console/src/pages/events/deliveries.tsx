import type { countersign } from '../../data/client.ts'
import { Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/page.tsx'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { type Attempt, type AttemptGroup, describeResult, groupAttempts, isReceived } from './attempts.ts'

type Event = Awaited<ReturnType<typeof countersign.events.get>>

/** All attempts to deliver an event: a chart, and a list with equal results folded into one line. */
export function Deliveries({ event }: { readonly event: Event }) {
  const { deliveryAttempts, nextAttemptAt } = event
  const groups = groupAttempts(deliveryAttempts).toReversed()
  return (
    <Panel title="Deliveries">
      <div className="stacked">
        {nextAttemptAt && (
          <span>
            Next attempt: <Time at={nextAttemptAt} />
          </span>
        )}
        {deliveryAttempts.length === 0 && !nextAttemptAt && (
          <span className="soft">
            {event.deliveryStatus === 'NONE' ? 'No endpoint was configured at the time.' : 'No attempts yet.'}
          </span>
        )}
        {deliveryAttempts.length > 1 && <Chart attempts={deliveryAttempts} />}
        {groups.map((group) => (
          <Group key={group.attempts[0]?.attempt} group={group} />
        ))}
      </div>
    </Panel>
  )
}

/** One bar per attempt. The height is the duration, the color is the result. */
function Chart({ attempts }: { readonly attempts: readonly Attempt[] }) {
  const longest = Math.max(1, ...attempts.map(({ durationMs }) => durationMs))
  const received = attempts.filter(isReceived).length
  const last = attempts.at(-1)?.attempt ?? 0
  const older = last - attempts.length
  const label = `${last} attempts, ${received} received, up to ${longest.toLocaleString()} ms`
  return (
    <figure className="attempts">
      <div className="bars" role="img" aria-label={label}>
        {attempts.map((attempt) => (
          <span
            key={attempt.attempt}
            className={isReceived(attempt) ? 'received' : 'missed'}
            style={{ height: `${Math.max(8, (100 * attempt.durationMs) / longest)}%` }}
            title={`Attempt ${attempt.attempt}: ${describeResult(attempt)}, ${attempt.durationMs.toLocaleString()} ms`}
          />
        ))}
      </div>
      <figcaption className="soft">
        {label}
        {older > 0 && `. The first ${older} are not kept`}
      </figcaption>
    </figure>
  )
}

function Group({ group }: { readonly group: AttemptGroup }) {
  const { attempts, result, isReceived: isDone } = group
  const [first] = attempts
  const last = attempts.at(-1)
  if (!first || !last) return null
  if (attempts.length === 1) return <AttemptFacts attempt={first} />
  return (
    <details className="fold">
      <summary>
        <strong>
          Attempts {first.attempt} to {last.attempt}
        </strong>{' '}
        <Status state={isDone ? 'DELIVERED' : 'FAILED'} />
        <div className="soft anywhere">
          {attempts.length} times “{result}”, from <Time at={first.startedAt} /> to{' '}
          <Time at={last.startedAt} />
        </div>
      </summary>
      <div className="stacked">
        {attempts.toReversed().map((attempt) => (
          <AttemptFacts key={attempt.attempt} attempt={attempt} />
        ))}
      </div>
    </details>
  )
}

function AttemptFacts({ attempt }: { readonly attempt: Attempt }) {
  const { responseBody, url, startedAt, durationMs } = attempt
  return (
    <section aria-label={`Attempt ${attempt.attempt}`}>
      <strong>Attempt {attempt.attempt}</strong>{' '}
      <Status state={isReceived(attempt) ? 'DELIVERED' : 'FAILED'} />
      <Facts
        items={[
          ['At', <Time key="at" at={startedAt} />],
          ['Result', describeResult(attempt)],
          ['Duration', `${durationMs.toLocaleString()} ms`],
          ['To', url],
          ['Body', responseBody && <span dir="auto">{responseBody}</span>],
        ]}
      />
    </section>
  )
}
