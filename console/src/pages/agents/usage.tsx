import { Progress, Stack } from '@mantine/core'
import { Panel } from '../../ui/page.tsx'
import { type Agent, formatLimit } from './agent.ts'

/** The agent's limits, and the used part of each. */
export function Usage({ agent: { policy, usage } }: { readonly agent: Agent }) {
  const { currency, dailyLimit, dailyTransactionLimit, monthlyLimit } = policy.spendingLimits
  const format = (amount: bigint) => formatLimit(amount, currency)
  const count = (amount: bigint) => amount.toLocaleString()
  return (
    <Panel title="Usage">
      <Stack gap="md">
        <Meter label="Today" used={usage.dailySpend} limit={dailyLimit ?? undefined} text={format} />
        <Meter
          label="Actions today"
          used={BigInt(usage.dailyTransactionCount)}
          limit={dailyTransactionLimit === undefined ? undefined : BigInt(dailyTransactionLimit)}
          text={count}
        />
        <Meter label="This month" used={usage.monthlySpend} limit={monthlyLimit ?? undefined} text={format} />
      </Stack>
    </Panel>
  )
}

function Meter(props: {
  readonly label: string
  readonly used: bigint
  readonly limit: bigint | undefined
  readonly text: (amount: bigint) => string
}) {
  const { label, used, limit, text } = props
  const left = limit === undefined || used > limit ? 0n : limit - used
  const share = limit === undefined ? 0 : limit === 0n ? 100 : Math.min(100, Number((used * 100n) / limit))
  return (
    <div>
      <div className="spread">
        <span className="soft">{label}</span>
        <span className="figures">{text(used)}</span>
      </div>
      {limit === undefined ? (
        <span className="soft">No limit</span>
      ) : (
        <>
          <Progress
            my={4}
            value={share}
            aria-label={`${label}: ${share} % of the limit`}
            color={share >= 90 ? 'orange' : 'indigo'}
          />
          <span className="soft figures">
            {text(left)} of {text(limit)} left
          </span>
        </>
      )}
    </div>
  )
}
