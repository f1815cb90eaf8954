import { useIsFetching } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'

/** A moving line at the top while data is loaded for the first time. Reloaded data changes in place. */
export function LoadingBar() {
  const isOpening = useRouterState({ select: ({ isLoading }) => isLoading })
  const first = useIsFetching({ predicate: ({ state }) => state.data === undefined })
  return isOpening || first > 0 ? <div className="loading-bar" aria-hidden="true" /> : null
}
