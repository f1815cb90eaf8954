import { appendFileSync } from 'node:fs'
import { openEmbedded } from '../../../src/storage/engine/embedded.ts'

// program <data directory> <first id> <writers> <rows of each writer>
// Prints `have <ids>`, then `ack <id>` for each row once its statement has completed, or `lost <message>`.
const [dataDir = '', first = '', writers = '', rows = ''] = process.argv.slice(2)
const say = (line: string) => process.stdout.write(`${line}\n`)

try {
  const db = await openEmbedded(dataDir)
  await db.script('CREATE TABLE IF NOT EXISTS writes (id int8 PRIMARY KEY, filler text NOT NULL)')
  const { rows: present } = await db.query<{ id: bigint }>('SELECT id FROM writes ORDER BY id')
  say(`have ${present.map(({ id }) => id).join(' ')}`)
  let id = BigInt(first)
  const write = async () => {
    for (let row = 0; row < Number(rows); row += 1) {
      const own = id++
      await db.query('INSERT INTO writes VALUES ($1, $2)', [own, 'x'.repeat(200)])
      if (process.env.FSYNC_LOG) appendFileSync(process.env.FSYNC_LOG, `ack ${own}\n`)
      say(`ack ${own}`)
    }
  }
  const results = await Promise.allSettled(Array.from({ length: Number(writers) }, write))
  for (const result of results) if (result.status === 'rejected') say(`lost ${result.reason.message}`)
  await db.close()
  say('closed')
} catch (error) {
  say(`refused ${(error as Error).message}`)
  process.exitCode = 1
}
