import { fileURLToPath } from 'node:url'

/** A port of 127.0.0.1 that nothing listens on, and that no outgoing connection takes. */
export async function freePort(): Promise<number> {
  const { freePort }: { freePort(): Promise<number> } = await import(
    fileURLToPath(new URL('../scripts/free-port.mjs', import.meta.url))
  )
  return freePort()
}
