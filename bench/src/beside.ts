import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import type { Part } from './part.ts'
import {
  CPU_FIGURES,
  LOG_FIGURES,
  LOG_NOTE,
  type PartFigure,
  POSTGRES_FIGURES,
  REQUEST_FIGURES,
  SETTLED_RATE,
} from './part-report.ts'
import { CLIENTS, type Kind } from './payment-sides.ts'
import type { TpcB } from './pgbench.ts'
import { ROOT } from './server-process.ts'
import { median, table, whole } from './table.ts'
import { PGBENCH, type Ready, type Turn } from './turns.ts'

export interface BesideOptions {
  readonly seconds: number
  readonly rounds: number
}

/** The other folder has no bench that takes turns. */
export class NoTurns extends Error {}

const USAGE_CODE = 2
const SCRIPT = 'scripts/bench.mjs'

/** Parts by name, one of each round. */
type Results = Map<string, Part[]>

/**
 * Measures this build and that of another checkout in turn, each with its own bench, server and cluster, so that other load of the
 * machine affects both, and pgbench on the cluster of this one. Prints tables.
 */
export async function runBeside(
  kind: Kind,
  folder: string,
  { seconds, rounds }: BesideOptions,
): Promise<void> {
  if (!existsSync(join(folder, SCRIPT))) throw new NoTurns(`${folder} is no checkout with a bench.`)
  const sides: Build[] = []
  try {
    // First the one that may be too old.
    const theirs = await Build.open(sides, resolve(folder), [kind])
    const ours = await Build.open(sides, ROOT, [kind, PGBENCH])
    const found: readonly Results[] = [new Map(), new Map()]
    const pgbench: TpcB[] = []
    for (let n = 0; n < rounds; n++) {
      pgbench.push(await ours.turn<TpcB>({ part: PGBENCH, seconds }))
      for (const part of ours.parts) {
        const order = n % 2 === 0 ? [0, 1] : [1, 0]
        for (const which of order) {
          const done = await [ours, theirs][which]!.turn<Part>({ part, seconds })
          found[which]!.set(part, [...(found[which]!.get(part) ?? []), done])
        }
      }
    }
    print(kind, found, pgbench, seconds)
  } finally {
    for (const side of sides) await side.close()
  }
}

/** The bench of a checkout, which is built first where it must be. It ends with its input. */
class Build {
  readonly parts: readonly string[]
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>
  readonly #ended: Promise<number | null>

  private constructor(
    child: ChildProcess,
    lines: AsyncIterator<string>,
    ended: Promise<number | null>,
    parts: readonly string[],
  ) {
    this.#child = child
    this.#lines = lines
    this.#ended = ended
    this.parts = parts
  }

  static async open(opened: Build[], folder: string, args: readonly string[]): Promise<Build> {
    const child = spawn(process.execPath, [join(folder, SCRIPT), 'turns', ...args], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    let complaint = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-COMPLAINT_MAX)
    })
    const ended = new Promise<number | null>((done, fail) => {
      child.on('error', fail)
      child.on('close', done)
    })
    const reader: Interface = createInterface({ input: child.stdout })
    const lines = reader[Symbol.asyncIterator]()
    const first = await lines.next()
    if (first.done) {
      const code = await ended
      if (code === USAGE_CODE)
        throw new NoTurns(`The bench of ${folder} is too old: it cannot take turns with another.`)
      throw new Error(`The bench of ${folder} ended with ${code}: ${complaint.trim()}`)
    }
    const build = new Build(child, lines, ended, (JSON.parse(first.value) as Ready).parts)
    opened.push(build)
    return build
  }

  async turn<Answer extends Part | TpcB>(turn: Turn): Promise<Answer> {
    this.#child.stdin!.write(`${JSON.stringify(turn)}\n`)
    const { done, value } = await this.#lines.next()
    if (done) throw new Error(`A bench ended with ${await this.#ended} in its turn.`)
    return JSON.parse(value) as Answer
  }

  async close(): Promise<void> {
    this.#child.stdin!.end()
    await this.#ended
  }
}

const COMPLAINT_MAX = 4_000

const NAMES = { spread: 'POST /transfer-out, spread', hot: 'of one hot account', signed: 'signed' } as const

function print(kind: Kind, found: readonly Results[], pgbench: readonly TpcB[], seconds: number): void {
  const [ours, theirs] = found as readonly [Results, Results]
  const rounds = pgbench.length
  const what =
    kind === 'signed' ? 'The signed call of the execution of a quote' : 'Durable POST /transfer-out'
  process.stdout.write(`
${what}: this build beside another, each on its own PostgreSQL, fsync on, in turn.
${CLIENTS} clients, ${rounds} rounds of ${seconds} s, medians. All of it shares ${availableParallelism()} cores. pgbench: ${whole(median(pgbench.map(({ perSecond }) => perSecond)))} per second,
${whole(median(pgbench.map(({ postgresUs }) => postgresUs)))} µs of PostgreSQL each.
`)
  for (const [part, these] of ours) {
    const those = theirs.get(part)!
    process.stdout.write(`
${NAMES[part as keyof typeof NAMES]}, settled per second:
${table([['', 'pgbench', 'this build', 'of pgbench', 'the other', 'of pgbench', 'ratio'], ...roundRows(these, those, pgbench)])}
${table([['per payment', 'this build', 'the other', 'ratio', 'lowest-highest'], ...figures(these, those)])}`)
  }
  process.stdout.write(`\n${LOG_NOTE}\n`)
}

function roundRows(these: readonly Part[], those: readonly Part[], pgbench: readonly TpcB[]): string[][] {
  const { of, show } = SETTLED_RATE
  const row = (name: string, pick: (value: (n: number) => number) => number) => [
    name,
    whole(pick((n) => pgbench[n]!.perSecond)),
    show(pick((n) => of(these[n]!))),
    pick((n) => of(these[n]!) / pgbench[n]!.perSecond).toFixed(2),
    show(pick((n) => of(those[n]!))),
    pick((n) => of(those[n]!) / pgbench[n]!.perSecond).toFixed(2),
    pick((n) => of(these[n]!) / of(those[n]!)).toFixed(2),
  ]
  return [
    ...pgbench.map((_, n) => row(`round ${n + 1}`, (value) => value(n))),
    row('median', (value) => median(pgbench.map((_, n) => value(n)))),
  ]
}

/** The ratio is the median of those of the rounds. */
function figures(these: readonly Part[], those: readonly Part[]): string[][] {
  const all: readonly PartFigure[] = [...REQUEST_FIGURES, ...CPU_FIGURES, ...POSTGRES_FIGURES, ...LOG_FIGURES]
  return all.map(({ name, of, show }) => {
    const ratios = these.map((part, n) => of(part) / of(those[n]!)).filter(Number.isFinite)
    return [
      name,
      show(median(these.map(of))),
      show(median(those.map(of))),
      ...(ratios.length === 0
        ? ['', '']
        : [median(ratios).toFixed(2), `${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}`]),
    ]
  })
}
