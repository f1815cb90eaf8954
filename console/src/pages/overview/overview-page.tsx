import { SegmentedControl, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { overviewQuery } from '../../data/overview-query.ts'
import { Page, Panel } from '../../ui/page.tsx'
import { QueryResult } from '../../ui/read.tsx'
import { Balances } from './balances.tsx'
import { Health } from './health.tsx'
import { Payments } from './payments.tsx'
import { Waiting } from './waiting.tsx'
import { MonitoredValues } from './watched.tsx'

const route = getRouteApi('/')

/** Selectable periods in days. The API counts at most 92 intervals. */
const SPANS = ['7', '30', '90'] as const

/** The start page: pending work, payments, balances and health. */
export function Overview() {
  const { days, currency } = route.useSearch()
  const navigate = useNavigate()
  const query = useQuery(overviewQuery)
  const span = SPANS.find((candidate) => candidate === days) ?? '30'
  return (
    <Page
      title="Overview"
      actions={
        <SegmentedControl
          aria-label="Days of the charts"
          size="xs"
          value={span}
          onChange={(value) => void navigate({ to: '.', search: { days: value, currency }, replace: true })}
          data={SPANS.map((value) => ({ value, label: `${value} days` }))}
        />
      }
    >
      <QueryResult query={query} lines={3}>
        {({ waiting, waitingSince }) => <Waiting waiting={waiting} waitingSince={waitingSince} />}
      </QueryResult>
      <Payments days={Number(span)} currency={currency} />
      <QueryResult query={query}>{({ watches }) => <MonitoredValues readings={watches} />}</QueryResult>
      <div className="columns">
        <Panel title="Balances" isBare>
          <QueryResult query={query}>{({ balances }) => <Balances balances={balances} />}</QueryResult>
        </Panel>
        <Stack>
          <QueryResult query={query}>{(overview) => <Health {...overview} />}</QueryResult>
        </Stack>
      </div>
    </Page>
  )
}
