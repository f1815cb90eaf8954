import { NativeSelect, Skeleton } from '@mantine/core'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { countersign } from '../../data/client.ts'
import { clockQuery } from '../../data/clock-query.ts'
import { useIsSandbox } from '../../session/me.ts'
import { Panel } from '../../ui/page.tsx'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { Bars } from './bars.tsx'
import { type Bar, countByDay, listCurrencies, listDays, sumVolumeByDay } from './statistics.ts'
import { Totals, VolumeTotal } from './totals.tsx'

/** The height of both charts, including while they load. */
const CHART_PIXELS = 220

/** Recent payments: their number by outcome, and the volume in one currency. */
export function Payments({
  days,
  currency,
}: {
  readonly days: number
  readonly currency: string | undefined
}) {
  const { data, error, refetch } = useStatistics(days)
  const navigate = useNavigate()
  if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />
  const displayed = data?.statistics.filter(({ start }) => Date.parse(start) >= (data.days[0] ?? 0)) ?? []
  const currencies = listCurrencies(displayed)
  const selectedCurrency = currencies.find((candidate) => candidate === currency) ?? currencies[0]
  const isEmpty = data !== undefined && selectedCurrency === undefined
  return (
    <div className="halves even">
      <Panel title="Payments">
        <Chart
          title={`Payments, last ${days} days`}
          bars={data && countByDay(displayed, data.days)}
          isEmpty={isEmpty}
        />
        {data && <Totals {...data} />}
      </Panel>
      <Panel
        title="Volume"
        actions={
          selectedCurrency !== undefined && (
            <NativeSelect
              aria-label="Currency"
              size="xs"
              value={selectedCurrency}
              data={currencies}
              onChange={({ currentTarget }) =>
                void navigate({
                  to: '.',
                  search: { days: String(days), currency: currentTarget.value },
                  replace: true,
                })
              }
            />
          )
        }
      >
        <Chart
          title={`Volume, last ${days} days, in ${selectedCurrency ?? 'any currency'}`}
          bars={data && sumVolumeByDay(displayed, data.days, selectedCurrency ?? '')}
          isEmpty={isEmpty}
        />
        {data && selectedCurrency !== undefined && <VolumeTotal {...data} currency={selectedCurrency} />}
      </Panel>
    </div>
  )
}

function Chart(props: {
  readonly title: string
  readonly bars: readonly Bar[] | undefined
  readonly isEmpty: boolean
}) {
  const { title, bars, isEmpty } = props
  return (
    <div style={{ height: CHART_PIXELS }}>
      {isEmpty ? (
        <EmptyState title="No payments in this period">
          Execute a quote. In a sandbox, the Sandbox button can also create some days of payments.
        </EmptyState>
      ) : bars ? (
        <Bars title={title} bars={bars} />
      ) : (
        <Skeleton h={CHART_PIXELS} />
      )}
    </div>
  )
}

/** Maximum age of a cached clock, because the platform's clock may have been moved since. */
const CLOCK_FRESH_MS = 5_000

/**
 * Loads statistics for the last days and for the same number of days before, by day in the viewer's time
 * zone. Uses the platform's clock, which can be moved in a sandbox.
 */
function useStatistics(days: number) {
  const isSandbox = useIsSandbox()
  const client = useQueryClient()
  return useQuery({
    queryKey: ['statistics', days],
    queryFn: async () => {
      const now = isSandbox
        ? new Date((await client.fetchQuery({ ...clockQuery, staleTime: CLOCK_FRESH_MS })).now)
        : new Date()
      const starts = listDays(now, 2 * days)
      const { data } = await countersign.transactions.statistics({
        interval: 'DAY',
        startDate: new Date(starts[0]!).toISOString(),
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      })
      return { statistics: data, days: starts.slice(days) }
    },
    placeholderData: keepPreviousData,
  })
}
