import { setTimeout } from 'node:timers/promises'
import { type DatabaseKind, newPlace, residentMiB, startServer } from './server-process.ts'
import { runDemo } from './start.ts'
import { table, whole } from './table.ts'

const IDLE_MS = 10_000

/** Measures the memory of an idle server, after its second start and after some use. Prints a table. */
export async function runMemory(databases: readonly DatabaseKind[]): Promise<void> {
  const rows: string[][] = [['', 'ready', 'idle for 10 s', 'after a demo and 10 s']]
  for (const database of databases) rows.push([NAMES[database], ...(await resident(database))])
  process.stdout.write(
    `\nResident memory of the server's process, from its second start on, in MiB:\n${table(rows)}`,
  )
}

const NAMES = { embedded: 'with the embedded database', postgres: 'with PostgreSQL' } as const

async function resident(database: DatabaseKind): Promise<string[]> {
  const place = await newPlace(database)
  try {
    await (await startServer(place)).server.stop()
    const { server, baseUrl } = await startServer(place)
    const measured = [residentMiB(server.pid)]
    await setTimeout(IDLE_MS)
    measured.push(residentMiB(server.pid))
    await runDemo(place, baseUrl)
    await setTimeout(IDLE_MS)
    measured.push(residentMiB(server.pid))
    await server.stop()
    return measured.map(whole)
  } finally {
    await place.remove()
  }
}
