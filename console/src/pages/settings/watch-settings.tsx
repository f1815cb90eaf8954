import { NumberInput, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, Loading } from '../../ui/states.tsx'
import {
  buildRailMarkFields,
  fromPositionMarkRows,
  fromRailMarkRows,
  NEW_MARK,
  POSITION_MARK_FIELDS,
  toPositionMarkRows,
  toRailMarkRows,
} from './limit-drafts.ts'
import { areValid, RuleRows } from './rule-rows.tsx'
import { SettingsForm } from './settings-form.tsx'

/** The contract's limits. */
const MARKS_MAX = 100
const AGE_HOURS_MAX = 8_760

/** Thresholds for monitored values. They apply to the overview, the doctor, the metrics and the alerts. */
export function WatchSettings() {
  return (
    <Stack gap="lg">
      <RailMarks />
      <SettingsForm
        title="Low-water marks of positions"
        text="Positions below their marks need attention: the overview shows them, and an alert is sent."
        createDraft={({ watchConfig }) => ({ rows: toPositionMarkRows(watchConfig.positionMarks) })}
        buildChange={({ rows }) => ({ watchConfig: { positionMarks: fromPositionMarkRows(rows) } })}
        isReady={({ rows }) => areValid(rows, POSITION_MARK_FIELDS)}
      >
        {({ rows }, set) => (
          <RuleRows
            name="Position"
            rows={rows}
            fields={POSITION_MARK_FIELDS}
            newRow={NEW_MARK}
            max={MARKS_MAX}
            onChange={(changed) => set({ rows: [...changed] })}
          />
        )}
      </SettingsForm>
      <SettingsForm
        title="Age of statements"
        createDraft={({ watchConfig }) => ({ hours: watchConfig.reconciliationAgeHours })}
        buildChange={({ hours }) => ({ watchConfig: { reconciliationAgeHours: hours } })}
      >
        {({ hours }, set) => (
          <NumberInput
            label="Hours"
            description="The maximum age of a rail’s latest statement"
            min={1}
            max={AGE_HOURS_MAX}
            allowDecimal={false}
            value={hours}
            onChange={(value) => typeof value === 'number' && set({ hours: value })}
          />
        )}
      </SettingsForm>
    </Stack>
  )
}

const RAIL_MARKS_TITLE = 'Low-water marks of rails'

/** Needs the server's rails first: a new mark is for the first one. */
function RailMarks() {
  const { data, error, refetch } = useQuery({
    queryKey: ['overview'],
    queryFn: () => countersign.overview.get(),
  })
  if (data) return <RailMarksForm rails={data.rails.map(({ name }) => name)} />
  return (
    <Panel title={RAIL_MARKS_TITLE}>
      {error ? <ErrorState error={error} retry={() => void refetch()} /> : <Loading lines={4} />}
    </Panel>
  )
}

function RailMarksForm({ rails }: { readonly rails: readonly string[] }) {
  // A threshold for a removed rail stays until it is deleted.
  const buildFields = (rows: readonly { readonly rail?: string }[]) =>
    buildRailMarkFields([...new Set([...rails, ...rows.flatMap(({ rail }) => (rail ? [rail] : []))])])
  return (
    <SettingsForm
      title={RAIL_MARKS_TITLE}
      text="Rails whose ledger balance is below their mark need attention: the overview shows them, and an alert is sent."
      createDraft={({ watchConfig }) => ({ rows: toRailMarkRows(watchConfig.railMarks) })}
      buildChange={({ rows }) => ({ watchConfig: { railMarks: fromRailMarkRows(rows) } })}
      isReady={({ rows }) => areValid(rows, buildFields(rows))}
    >
      {({ rows }, set) => (
        <RuleRows
          name="Rail mark"
          rows={rows}
          fields={buildFields(rows)}
          newRow={{ ...NEW_MARK, rail: rails[0] ?? '' }}
          max={MARKS_MAX}
          onChange={(changed) => set({ rows: [...changed] })}
        />
      )}
    </SettingsForm>
  )
}
