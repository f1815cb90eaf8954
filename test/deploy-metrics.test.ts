import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parser } from '@prometheus-io/lezer-promql'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import { hasProgram, readText } from './deploy-files.ts'

/** Labels added by scraping and by histogram queries. */
const LABELS_OF_PROMETHEUS = ['job', 'instance', 'le']
/**
 * A label of metrics that have values only after the first request. All others have values from the start.
 */
const LABEL_OF_TRAFFIC = 'status'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly annotations: { readonly summary: string; readonly runbook: string }
}

const RULES: readonly Rule[] = parse(readText('deploy/alerts.yaml')).groups[0].rules
const DASHBOARD = JSON.parse(readText('deploy/grafana-dashboard.json'))
const GUIDE = readText('docs/deploy.md')

/** The dashboard's queries, in the form in which Grafana sends them. */
const PANELS: readonly { name: string; expr: string; legend: string }[] = DASHBOARD.panels.flatMap(
  ({ title, targets = [] }: { title: string; targets?: { expr: string; legendFormat: string }[] }) =>
    targets.map(({ expr, legendFormat }) => ({
      name: title,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'countersign'),
      legend: legendFormat,
    })),
)
const QUERIES = [
  ...RULES.map(({ alert, expr, annotations: { summary } }) => ({ name: alert, expr, legend: summary })),
  ...PANELS,
]

/** The names that occur in a query. */
interface QueryNames {
  readonly metrics: string[]
  readonly labels: string[]
  readonly values: { metric: string; label: string; value: string }[]
}

/** Parses the names in a query. Throws if the query is invalid. */
function parseQueryNames(query: string): QueryNames {
  const found: QueryNames = { metrics: [], labels: [], values: [] }
  let metric = ''
  let label = ''
  parser.parse(query).iterate({
    enter({ type, from, to }) {
      const text = query.slice(from, to)
      if (type.isError) throw new Error(`At ${from}: ${query}`)
      if (type.name === 'Identifier') {
        metric = text
        found.metrics.push(text)
      }
      if (type.name === 'LabelName') {
        label = text
        found.labels.push(text)
      }
      if (type.name === 'StringLiteral') found.values.push({ metric, label, value: JSON.parse(text) })
    },
  })
  return found
}

/** A server's metrics: the name of each series, with the labels of its family and their values. */
const series = new Map<string, { family: string; labels: Map<string, Set<string>>; isEmpty: boolean }>()

/** The labels from the guide's table, for families that have no series without rails. */
const LABELS_OF_GUIDE = new Map(
  [...readText('docs/operations.md').matchAll(/^\| `(countersign_\w+)` \| \w+ \| ([^|]*) \|/gm)].map(
    ([, name, labels]) => [name!, [...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label!)],
  ),
)

beforeAll(async () => {
  const baseUrl = inject('baseUrl')
  await fetch(`${baseUrl}/openapi.json`)
  const text = await (await fetch(new URL('/metrics', baseUrl))).text()
  for (const [, family, type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm))
    for (const ending of type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''])
      series.set(`${family}${ending}`, {
        family: family!,
        labels: new Map((LABELS_OF_GUIDE.get(family!) ?? []).map((label) => [label, new Set()])),
        isEmpty: true,
      })
  for (const [, name, labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const entry = series.get(name!)
    if (!entry) continue
    entry.isEmpty = false
    for (const [, label, value] of labels.matchAll(/(\w+)="([^"]*)"/g))
      entry.labels.set(label!, (entry.labels.get(label!) ?? new Set()).add(value!))
  }
})

describe('in the dashboard and the alerts,', () => {
  test.each(QUERIES)('$name uses only metrics, labels and values that a server has', ({ expr, legend }) => {
    const { metrics, labels, values } = parseQueryNames(expr)
    expect(metrics.length).toBeGreaterThan(0)
    const ownMetrics = metrics.filter((metric) => metric !== 'up')
    expect(ownMetrics.filter((metric) => !series.has(metric))).toEqual([])
    const known = new Set(LABELS_OF_PROMETHEUS)
    for (const metric of ownMetrics) for (const label of series.get(metric)!.labels.keys()) known.add(label)
    const shown = [...legend.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)].map(([, label]) => label!)
    expect([...labels, ...shown].filter((label) => !known.has(label))).toEqual([])
    for (const { metric, label, value } of values) {
      if (LABELS_OF_PROMETHEUS.includes(label) || label === LABEL_OF_TRAFFIC) continue
      const entry = series.get(metric)!
      if (!entry.isEmpty) expect([...entry.labels.get(label)!]).toContain(value)
    }
  })

  test('an invalid query or an unknown name is reported', () => {
    expect(() => parseQueryNames('sum(rate(countersign_a[5m])')).toThrow()
    expect(parseQueryNames('sum by (b) (rate(countersign_a{c="d"}[5m]))')).toEqual({
      metrics: ['countersign_a'],
      labels: ['b', 'c'],
      values: [{ metric: 'countersign_a', label: 'c', value: 'd' }],
    })
    expect(series.has('countersign_a')).toBe(false)
  })

  test('the panels use one data source, do not overlap, and have unique ids', () => {
    const cells = DASHBOARD.panels.flatMap(
      ({ gridPos: { x, y, w, h } }: { gridPos: { x: number; y: number; w: number; h: number } }) =>
        Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.trunc(cell / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    const ids = DASHBOARD.panels.map(({ id }: { id: number }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { datasource } of DASHBOARD.panels.filter(({ type }: { type: string }) => type !== 'row'))
      expect(datasource).toEqual({ type: 'prometheus', uid: `$${'{datasource}'}` })
  })

  test('each alert has a unique name and a section in the guide', () => {
    expect(new Set(RULES.map(({ alert }) => alert)).size).toBe(RULES.length)
    const headings = [...GUIDE.matchAll(/^#+ (.+)$/gm)].map(([, text]) =>
      text!.toLowerCase().replaceAll(' ', '-'),
    )
    for (const { alert, annotations } of RULES) {
      const [file, heading] = annotations.runbook.split('#')
      expect(file).toBe('docs/deploy.md')
      expect(headings).toContain(heading)
      expect(GUIDE).toContain(`\`${alert}\``)
    }
  })

  test.skipIf(!hasProgram('promtool'))('promtool accepts the rules (skipped without promtool)', async () => {
    const file = fileURLToPath(new URL('../deploy/alerts.yaml', import.meta.url))
    const { stdout } = await promisify(execFile)('promtool', ['check', 'rules', file])
    expect(stdout).toContain(`${RULES.length} rules found`)
  })
})
