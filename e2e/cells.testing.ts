import { fileURLToPath } from 'node:url'

/** A platform in a cell, whose token the proxy knows. */
interface Cell {
  readonly name: string
  readonly credentials: { readonly tokenId: string; readonly clientSecret: string }
}

/** Two cells on two PostgreSQL servers, behind HAProxy. */
interface Cells {
  /** The API at the proxy, which routes by token. */
  readonly baseUrl: string
  /** The proxy's port. The proxy routes `http://north.localhost` to the cell north. */
  readonly port: number
  readonly cells: readonly Cell[]
  stop(): Promise<void>
}

export async function startCells(): Promise<Cells> {
  const { Cells } = await import(fileURLToPath(new URL('../scripts/cluster/cells.mjs', import.meta.url)))
  return Cells.start(() => {})
}
