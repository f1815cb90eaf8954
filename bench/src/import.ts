import { setTimeout } from 'node:timers/promises'
import { Countersign } from '@countersign/sdk'
import { type DatabaseKind, newPlace, readCredentials, residentMiB, startServer } from './server-process.ts'
import { ratio, table, whole } from './table.ts'

const POLL_MS = 250
/** When memory is measured first: everything that is made once has been made by then. */
const SETTLED_SHARE = 0.1

export interface ImportOptions {
  readonly database: DatabaseKind
  readonly seconds: number
  readonly rows: number
}

/**
 * Measures a file of customers beside single calls of one client, which also make one customer after the other, and the memory
 * of the server early and late in the file. The customers have no e-mail address: the key of a wallet takes milliseconds either
 * way. Prints a table.
 */
export async function runImport({ database, seconds, rows }: ImportOptions): Promise<void> {
  const place = await newPlace(database)
  try {
    const { server, baseUrl } = await startServer(place)
    const countersign = new Countersign(readCredentials(place, baseUrl))
    // The first ones compile what all use.
    await callsPerSecond(countersign, 'warm', 1)
    const called = await callsPerSecond(countersign, 'call', seconds)
    const found = await importFile(countersign, rows, () => residentMiB(server.pid))
    await server.stop()
    process.stdout.write(`
A file of ${whole(rows)} customers, each with its accounts, on ${database === 'embedded' ? 'the embedded database' : 'PostgreSQL'}:
${table([
  ['', 'customers/s', 'of single calls'],
  ['POST /customers, one client', whole(called), ''],
  ['POST /customers/bulk/csv', whole(found.perSecond), ratio(found.perSecond, called)],
])}
Memory of the server in MiB: ${whole(found.earlyMiB)} after a tenth, ${whole(found.lateMiB)} at the end, ${whole(found.mostMiB)} at most in between.
`)
  } finally {
    await place.remove()
  }
}

/** Customers that one client makes by single calls. */
async function callsPerSecond(countersign: Countersign, name: string, seconds: number): Promise<number> {
  const begun = performance.now()
  const endMs = begun + seconds * 1000
  let made = 0
  while (performance.now() < endMs) {
    const [platformCustomerId, fullName] = [`${name}-${made}`, 'Ada Lovelace']
    const body = { customerType: 'INDIVIDUAL', platformCustomerId, fullName } as const
    await countersign.call('customer_create', { body })
    made += 1
  }
  return made / ((performance.now() - begun) / 1000)
}

interface Found {
  readonly perSecond: number
  readonly earlyMiB: number
  readonly lateMiB: number
  readonly mostMiB: number
}

async function importFile(countersign: Countersign, rows: number, resident: () => number): Promise<Found> {
  const lines = Array.from({ length: rows }, (_, n) => `row-${n},INDIVIDUAL,Ada Lovelace\n`)
  const file = new Blob(['platformCustomerId,customerType,fullName\n', ...lines], { type: 'text/csv' })
  const begun = performance.now()
  const { body } = await countersign.call('customer_import_create', {
    body: { file, fileName: 'customers.csv' },
  })
  let earlyMiB: number | undefined
  let mostMiB = 0
  for (;;) {
    const { status, progress, errors } = (
      await countersign.call('customer_import_get', { params: { jobId: body.jobId } })
    ).body
    if (progress.processed >= rows * SETTLED_SHARE) earlyMiB ??= resident()
    if (earlyMiB !== undefined) mostMiB = Math.max(mostMiB, resident())
    if (status === 'COMPLETED' && progress.successful === rows) break
    if (status === 'COMPLETED' || status === 'FAILED')
      throw new Error(`The import failed: ${errors?.[0]?.message}`)
    await setTimeout(POLL_MS)
  }
  const perSecond = rows / ((performance.now() - begun) / 1000)
  return { perSecond, earlyMiB: earlyMiB ?? Number.NaN, lateMiB: resident(), mostMiB }
}
