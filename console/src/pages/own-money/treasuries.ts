import { useQuery } from '@tanstack/react-query'
import { countersign } from '../../data/client.ts'

/** A rail whose money a key on the server moves: a chain, or the simulator of a sandbox. */
export interface Treasury {
  readonly rail: string
  readonly network: string | undefined
  /** Undefined for the simulator. */
  readonly address: string | undefined
}

/** The treasuries of the platform, as the server that responds sees them. */
export function useTreasuries() {
  return useQuery({
    queryKey: ['own-money', 'treasuries'],
    queryFn: async (): Promise<Treasury[]> =>
      (await countersign.overview.get()).rails
        .filter(({ kind, treasury }) => treasury !== undefined || kind === 'sandbox')
        .map(({ name, network, treasury }) => ({ rail: name, network, address: treasury })),
  })
}
