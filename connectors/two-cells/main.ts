import { parseArgs } from 'node:util'
import type { CellName } from './bridge.ts'
import { type CellOptions, startBridge } from './start.ts'

const USAGE = `Usage: node connectors/dist/two-cells/main.js --data FOLDER --north-events URL --south-events URL

  --data FOLDER          the folder for the journal
  --north-port N         the port for the cell north (default 9301)
  --south-port N         the port for the cell south (default 9302)
  --north-events URL     the URL for events to the cell north: …/rail-events/RAIL-NAME
  --south-events URL     the URL for events to the cell south

Set NORTH_BRIDGE_SECRET and SOUTH_BRIDGE_SECRET, each to that cell's secret (whsec_…).`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      data: { type: 'string' },
      'north-port': { type: 'string', default: '9301' },
      'south-port': { type: 'string', default: '9302' },
      'north-events': { type: 'string' },
      'south-events': { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  const { data } = values
  if (values.help || data === undefined) throw new Error(USAGE)
  const readCellOptions = (cell: CellName): CellOptions => {
    const name = `${cell.toUpperCase()}_BRIDGE_SECRET`
    const [secrets, events] = [process.env[name], values[`${cell}-events`]]
    if (!secrets || events === undefined)
      throw new Error(`${name} or --${cell}-events is not set.\n\n${USAGE}`)
    return { port: Number(values[`${cell}-port`]), events, secrets }
  }
  const { urls, close } = await startBridge(data, {
    north: readCellOptions('north'),
    south: readCellOptions('south'),
  })
  process.stdout.write(`The bridge is open: ${urls.north} for north, ${urls.south} for south\n`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      void close().then(() => process.exit(0))
    })
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
