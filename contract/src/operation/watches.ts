import { keysOf } from '../core/objects.ts'

/**
 * Everything that is monitored, in display order. The metrics, the alert rules in `deploy/alerts.yaml`, the
 * lines of `countersign doctor` and the console's tiles are derived from these entries. For each entry, the
 * server only needs a function that reads the value.
 */

/** When Prometheus alerts, and which section of docs/deploy.md says what to do. */
export interface WatchAlert {
  readonly name: string
  readonly forMinutes: number
  readonly summary: string
  /** The heading in docs/deploy.md. */
  readonly runbook: string
}

export interface Watch {
  /** The label of a line or tile. */
  readonly title: string
  /** Which side of the limit is a problem. */
  readonly alertsIf: 'below' | 'above'
  readonly help: string
  /** The setting that defines the limit. */
  readonly limitSetBy: string
  readonly advice: string
  /** The console page with details, if any. */
  readonly page?: string
  readonly alert: WatchAlert
}

export const WATCHES = {
  RAIL_BALANCE: {
    title: 'Rail balance',
    alertsIf: 'below',
    help: 'Balance of a rail in the ledger, in units of its currency',
    limitSetBy: '`watchConfig.railMarks`',
    advice: 'Top up the account at the rail',
    page: '/reconciliations',
    alert: {
      name: 'CountersignRailLow',
      forMinutes: 5,
      summary: 'The rail {{ $labels.subject }} has less {{ $labels.unit }} than its low-water mark',
      runbook: 'low-water-marks',
    },
  },
  TREASURY: {
    title: 'Treasury',
    alertsIf: 'below',
    help: 'Tokens of the treasury on the chain of a rail',
    limitSetBy: '`lowWater.treasury` of the rails file',
    advice: 'Send tokens to the treasury; countersign rails check shows its address',
    alert: {
      name: 'CountersignTreasuryLow',
      forMinutes: 5,
      summary: 'The treasury of {{ $labels.subject }} is low on {{ $labels.unit }}',
      runbook: 'low-water-marks',
    },
  },
  GAS_ACCOUNT: {
    title: 'Gas account',
    alertsIf: 'below',
    help: 'Coin of an account that pays for gas on the chain of a rail',
    limitSetBy: '`lowWater.transfers` of the rails file',
    advice: 'Send coin to the account; countersign rails check shows its address',
    alert: {
      name: 'CountersignGasLow',
      forMinutes: 5,
      summary: 'The account {{ $labels.subject }} is low on {{ $labels.unit }} for gas',
      runbook: 'low-water-marks',
    },
  },
  FX_POSITION: {
    title: 'FX position',
    alertsIf: 'below',
    help: "The platform's position in a currency, in its units",
    limitSetBy: '`watchConfig.positionMarks`',
    advice: 'Buy the currency; countersign positions list shows all positions',
    alert: {
      name: 'CountersignPositionLow',
      forMinutes: 5,
      summary: 'The position in {{ $labels.subject }} is below its low-water mark',
      runbook: 'low-water-marks',
    },
  },
  RECONCILIATION_AGE: {
    title: 'Statement age',
    alertsIf: 'above',
    help: 'Time since the latest statement of a rail arrived',
    limitSetBy: '`watchConfig.reconciliationAgeHours`',
    advice: 'Request the statement from the bank, and check the connector',
    page: '/reconciliations',
    alert: {
      name: 'CountersignStatementMissing',
      forMinutes: 5,
      summary: '{{ $labels.subject }} has not sent a statement for too long',
      runbook: 'reconciliation',
    },
  },
  WORKER: {
    title: 'Worker',
    alertsIf: 'above',
    help: 'Time since a background worker of this server has finished a run',
    limitSetBy: 'three of its intervals, at least 5 minutes',
    advice: 'Search the server log for the name of the worker, and restart the server',
    alert: {
      name: 'CountersignWorkerStopped',
      forMinutes: 1,
      summary: 'The worker {{ $labels.subject }} has stopped on a server',
      runbook: 'stopped-worker',
    },
  },
} as const satisfies Readonly<Record<string, Watch>>

export type WatchName = keyof typeof WATCHES
export const WATCH_NAMES: readonly WatchName[] = keysOf(WATCHES)

/** Returns the name of a watch's metric. The metric of its limit has the suffix `_limit`. */
export function watchMetric(watch: WatchName): string {
  return `countersign_watch_${watch.toLowerCase()}`
}
