import { useQueryClient } from '@tanstack/react-query'

/** Returns a function that reloads everything that shows own money or pending approvals. */
export function useReloadOwnMoney(): () => void {
  const client = useQueryClient()
  return () => {
    for (const noun of ['own-money', 'approvals', 'accounts', 'overview'])
      void client.invalidateQueries({ queryKey: [noun] })
  }
}
