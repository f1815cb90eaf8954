import { parseArgs } from 'node:util'
import type { Behaviour } from './outcomes.ts'
import { startBank } from './start.ts'

const USAGE = `Usage: npm run example-bank -- --port 9100 --data FOLDER [options]

  --port N         the port to listen on (default 9100)
  --host ADDRESS   the address to listen on (default 127.0.0.1)
  --data FOLDER    the folder for the journal
  --events URL     the URL for events: …/rail-events/RAIL-NAME; if absent, events wait
  --behaviour JSON for example '{"answerDelayMs":50}'; docs/connectors/build-a-connector.md lists all fields

Set EXAMPLE_BANK_SECRET to a secret (whsec_…), or during a rotation to two, separated by a space.`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '9100' },
      host: { type: 'string', default: '127.0.0.1' },
      data: { type: 'string' },
      events: { type: 'string' },
      behaviour: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  const secrets = process.env.EXAMPLE_BANK_SECRET
  if (values.help || values.data === undefined) throw new Error(USAGE)
  if (!secrets)
    throw new Error('EXAMPLE_BANK_SECRET is not set. Set it to whsec_ and 24 to 64 bytes in base64.')
  const behaviour: Partial<Behaviour> = values.behaviour === undefined ? {} : JSON.parse(values.behaviour)
  const bank = await startBank({
    port: Number(values.port),
    host: values.host,
    folder: values.data,
    secrets,
    behaviour,
    ...(values.events === undefined ? {} : { events: values.events }),
  })
  process.stdout.write(`The example bank is open: ${bank.url}\n`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      void bank.close().then(() => process.exit(0))
    })
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
