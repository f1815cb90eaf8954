import { useQueryClient } from '@tanstack/react-query'

/** Reloads everything that shows own money or pending approvals. */
export function useChanged(): () => void {
  const client = useQueryClient()
  return () => {
    for (const noun of ['own-money', 'approvals', 'accounts', 'overview'])
      void client.invalidateQueries({ queryKey: [noun] })
  }
}
