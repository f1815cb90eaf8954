import { useQuery } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'

/** A rail whose money is moved with a key on the server: a chain, or a sandbox's simulator. */
export interface Treasury {
  readonly rail: string
  readonly network: string | undefined
  /** Undefined for the simulator. */
  readonly address: string | undefined
}

/** Lists the platform's treasuries, as known to the server that responds. */
export function useTreasuries() {
  return useQuery({
    queryKey: ['own-money', 'treasuries'],
    queryFn: async (): Promise<Treasury[]> =>
      (await countersign.overview.get()).rails
        .filter(({ kind, treasury }) => treasury !== undefined || kind === 'sandbox')
        .map(({ name, network, treasury }) => ({ rail: name, network, address: treasury })),
  })
}
