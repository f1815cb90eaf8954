import { WATCH_NAMES, WATCHES, watchMetric } from '@countersign/contract/operation/watches'
import { formatMarkdownTable } from './markdown-table.ts'

/** Prints every watch, with its alert and the setting that limits it. */
export function formatWatchTable(): string {
  return formatMarkdownTable(
    ['watched', 'needs attention if', 'limit', 'alert'],
    WATCH_NAMES.map((name) => {
      const { help, alertsIf, limitSetBy, alert } = WATCHES[name]
      return [help, `${alertsIf} its limit`, limitSetBy, `\`${alert.name}\``]
    }),
  )
}

/** Prints the metrics of what is watched. */
export function formatWatchMetricTable(): string {
  return formatMarkdownTable(
    ['metric', 'type', 'labels', 'meaning'],
    WATCH_NAMES.flatMap((name) => {
      const labels = '`platform`, `subject`, `unit`'
      const help = WATCHES[name].help.charAt(0).toLowerCase() + WATCHES[name].help.slice(1)
      return [
        [`\`${watchMetric(name)}\``, 'gauge', labels, help],
        [`\`${watchMetric(name)}_limit\``, 'gauge', labels, 'the limit of it'],
      ]
    }),
  )
}

const BEGIN = '      # printed: what is watched (npm run docs)\n'
const END = '      # printed end\n'

/**
 * Returns the Prometheus rules file with the rules for what is watched. Throws if the file has no section for
 * them.
 */
export function withWatchRules(file: string): string {
  const [before, rest] = file.split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) throw new Error('The file of alerts has no printed part')
  return `${before}${BEGIN}${WATCH_NAMES.map(formatRule).join('')}${END}${after}`
}

function formatRule(name: (typeof WATCH_NAMES)[number]): string {
  const { alertsIf, alert } = WATCHES[name]
  const metric = watchMetric(name)
  // Each server has its own workers. For everything else, all servers report the same.
  const labels = name === 'WORKER' ? 'instance, platform, subject, unit' : 'platform, subject, unit'
  const [value, operator, limit] = alertsIf === 'below' ? ['min', '<', 'max'] : ['max', '>', 'min']
  return `      - alert: ${alert.name}
        expr: >-
          ${value} by (${labels}) (${metric})
          ${operator} ${limit} by (${labels}) (${metric}_limit)
        for: ${alert.forMinutes}m
        labels: { severity: warning }
        annotations:
          summary: '${alert.summary}'
          runbook: docs/deploy.md#${alert.runbook}
`
}
