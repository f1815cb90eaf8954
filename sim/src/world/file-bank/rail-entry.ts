import type { FileBankBehavior } from './behavior.ts'

export const RAIL = 'house-bank'
export const OWN_IBAN = 'DE89370400440532013000'
export const FOLDERS = ['outbox', 'inbox', 'done', 'refused'] as const

/** The rail's entry in the rails file, for a bank whose files are in this folder. */
export function buildRailEntry(
  folder: string,
  format: 'CAMT' | 'BAI2' | 'MT940',
  { depositsFrom }: Pick<FileBankBehavior, 'depositsFrom'>,
  collects: boolean,
): object {
  const serves = ['OUT', ...(collects ? ['PULL'] : []), 'IN'].map((direction) => ({
    ...{ direction, accountTypes: ['EUR_ACCOUNT'], currencies: ['EUR'] },
  }))
  return {
    ...{ name: RAIL, kind: 'bank-files', serves, depositsFrom, everyMinutes: 1, inboxEverySeconds: 1 },
    ...(format === 'MT940' ? { statementFormat: 'MT940' } : {}),
    format: {
      ...{ type: 'SEPA', name: 'Simulated GmbH', iban: OWN_IBAN, bic: 'COBADEFFXXX' },
      ...(collects ? { debits: { creditorId: 'DE98ZZZ09999999999', deliveredAfterDays: 0 } } : {}),
    },
    place: { type: 'folder', path: folder, ...Object.fromEntries(FOLDERS.map((name) => [name, name])) },
  }
}
