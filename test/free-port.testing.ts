import { fileURLToPath } from 'node:url'

/** Finds a port on 127.0.0.1 on which nothing listens, outside the range of ephemeral ports. */
export async function freePort(): Promise<number> {
  const { freePort }: { freePort(): Promise<number> } = await import(
    fileURLToPath(new URL('../scripts/free-port.mjs', import.meta.url))
  )
  return freePort()
}
