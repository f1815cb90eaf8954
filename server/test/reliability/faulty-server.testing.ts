import { openDatabase } from '../../src/storage/engine/open.ts'
import { type Options, openServer, type TestServer } from '../worlds/server.testing.ts'
import { FaultyDatabase } from './faults.testing.ts'

/** A server whose database can be made to fail. */
export interface FaultyServer extends TestServer {
  readonly faults: FaultyDatabase
}

export async function openFaultyServer(options: Options = {}): Promise<FaultyServer> {
  let faults: FaultyDatabase | undefined
  const server = await openServer(
    {},
    {
      ...options,
      openDatabase: async (config) => {
        faults = new FaultyDatabase(await openDatabase(config))
        return faults
      },
    },
  )
  if (!faults) throw new Error('The server has not opened its database')
  return Object.assign(server, { faults })
}
