import { appendFileSync } from 'node:fs'
import { openEmbedded } from '../../../src/storage/engine/embedded.ts'

// program <data directory> <first id> <writers> <rows of each writer>
// Prints `have <ids>`, then `ack <id>` for each row once its statement has completed, or `lost <message>`.
const [dataDir = '', first = '', writers = '', rows = ''] = process.argv.slice(2)
const printLine = (line: string) => process.stdout.write(`${line}\n`)

try {
  const db = await openEmbedded(dataDir)
  await db.script('CREATE TABLE IF NOT EXISTS writes (id int8 PRIMARY KEY, filler text NOT NULL)')
  const { rows: present } = await db.query<{ id: bigint }>('SELECT id FROM writes ORDER BY id')
  printLine(`have ${present.map(({ id }) => id).join(' ')}`)
  let id = BigInt(first)
  const writeRows = async () => {
    for (let row = 0; row < Number(rows); row += 1) {
      const rowId = id++
      await db.query('INSERT INTO writes VALUES ($1, $2)', [rowId, 'x'.repeat(200)])
      if (process.env.FSYNC_LOG) appendFileSync(process.env.FSYNC_LOG, `ack ${rowId}\n`)
      printLine(`ack ${rowId}`)
    }
  }
  const results = await Promise.allSettled(Array.from({ length: Number(writers) }, writeRows))
  for (const result of results) if (result.status === 'rejected') printLine(`lost ${result.reason.message}`)
  await db.close()
  printLine('closed')
} catch (error) {
  printLine(`refused ${(error as Error).message}`)
  process.exitCode = 1
}
