import { useQueryClient } from '@tanstack/react-query'

/** Reads everything again that shows own money or what waits for approval. */
export function useChanged(): () => void {
  const client = useQueryClient()
  return () => {
    for (const noun of ['own-money', 'approvals', 'accounts', 'overview'])
      void client.invalidateQueries({ queryKey: [noun] })
  }
}
