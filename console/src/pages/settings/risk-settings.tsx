import { HOLD_RULES_MAX, VELOCITY_LIMITS_MAX } from '@countersign/contract/payments/risk-config'
import { Stack } from '@mantine/core'
import {
  fromHoldRows,
  fromLimitRows,
  HOLD_FIELDS,
  LIMIT_FIELDS,
  NEW_HOLD,
  NEW_LIMIT,
  toHoldRows,
  toLimitRows,
} from './limit-drafts.ts'
import { areValid, RuleRows } from './rule-rows.tsx'
import { SettingsForm } from './settings-form.tsx'

/** Rules for holding pulled money, and payment limits. */
export function RiskSettings() {
  return (
    <Stack gap="lg">
      <SettingsForm
        title="Holds on pulled money"
        text="Money that is pulled from a bank account can be returned. A rule holds it until its banking days are over. A rule applies if all its conditions do; if several apply, the one with the most banking days holds the money. A change needs APPROVE in addition to MANAGE."
        createDraft={({ riskConfig }) => ({ rows: toHoldRows(riskConfig.fundsHolds) })}
        buildChange={({ rows }) => ({ riskConfig: { fundsHolds: fromHoldRows(rows) } })}
        isReady={({ rows }) => areValid(rows, HOLD_FIELDS)}
      >
        {({ rows }, set) => (
          <RuleRows
            name="Hold"
            rows={rows}
            fields={HOLD_FIELDS}
            newRow={NEW_HOLD}
            max={HOLD_RULES_MAX}
            onChange={(changed) => set({ rows: [...changed] })}
          />
        )}
      </SettingsForm>
      <SettingsForm
        title="Velocity limits"
        text="Refuses payments that exceed a number or a total for one customer or one payee, per day or month in UTC. A change needs APPROVE in addition to MANAGE."
        createDraft={({ riskConfig }) => ({ rows: toLimitRows(riskConfig.velocityLimits) })}
        buildChange={({ rows }) => ({ riskConfig: { velocityLimits: fromLimitRows(rows) } })}
        isReady={({ rows }) => areValid(rows, LIMIT_FIELDS)}
      >
        {({ rows }, set) => (
          <RuleRows
            name="Limit"
            rows={rows}
            fields={LIMIT_FIELDS}
            newRow={NEW_LIMIT}
            max={VELOCITY_LIMITS_MAX}
            onChange={(changed) => set({ rows: [...changed] })}
          />
        )}
      </SettingsForm>
    </Stack>
  )
}
