import { useIsFetching } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'

/** An animated line at the top of the window during the first load of data. Reloads happen without it. */
export function LoadingBar() {
  const isOpening = useRouterState({ select: ({ isLoading }) => isLoading })
  const first = useIsFetching({ predicate: ({ state }) => state.data === undefined })
  return isOpening || first > 0 ? <div className="loading-bar" aria-hidden="true" /> : null
}
