import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Network } from '../machine/network.ts'

/** The environment of production servers: a rails file and a source of exchange rates. */

const RATES = '127.0.0.1:9116'
/** US dollars per unit of each currency. */
const USD_RATES = { EUR: '1.25', BTC: '60000', USDC: '1', USDB: '1', ETH: '3000' }
const RAILS_FILE = 'rails.json'

export function buildProductionSettings(folder: string): Record<string, string> {
  return {
    COUNTERSIGN_MODE: 'production',
    RAILS_FILE: join(folder, RAILS_FILE),
    RATES_URL: `http://${RATES}/`,
  }
}

/** Writes the rails file that these settings name. */
export async function writeRails(folder: string, rails: readonly object[]): Promise<void> {
  await writeFile(join(folder, RAILS_FILE), JSON.stringify({ rails }))
}

export function serveRates(network: Network): void {
  network.hosts.set(RATES, () => {
    const updatedAt = new Date().toISOString()
    return { status: 200, body: JSON.stringify({ base: 'USD', updatedAt, rates: USD_RATES }) }
  })
}
