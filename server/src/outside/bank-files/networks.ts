import type { PaymentRailName } from '@countersign/contract/core/rails'

/** The networks that each format can reach. */
export const NETWORKS = {
  SEPA: ['SEPA', 'SEPA_INSTANT'],
  ACH: ['ACH'],
  WIRE: ['WIRE'],
  BACS: ['BACS'],
  FASTER_PAYMENTS: ['FASTER_PAYMENTS'],
} as const satisfies Record<string, readonly PaymentRailName[]>

/** The batch name for networks that settle every day. */
export const INSTANT_BATCH = 'INSTANT'

/** The European Economic Area: the European Union, Iceland, Liechtenstein and Norway. */
const EEA = new Set([
  ...['AT', 'BE', 'BG', 'CY', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FR', 'GR', 'HR', 'HU', 'IE', 'IT', 'LT'],
  ...['LU', 'LV', 'MT', 'NL', 'PL', 'PT', 'RO', 'SE', 'SI', 'SK', 'IS', 'LI', 'NO'],
])

/** True if the account's bank is in the EEA. Payments to other banks must state the payer's address. */
export function isInEea(iban: string): boolean {
  return EEA.has(iban.slice(0, 2).toUpperCase())
}
