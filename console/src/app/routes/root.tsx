import { createRootRoute } from '@tanstack/react-router'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { Shell } from '../shell.tsx'

/** What all pages stand in. */
export const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <EmptyState title="There is no such page">Choose one of the navigation.</EmptyState>
  ),
  errorComponent: ({ error, reset }) => <ErrorState error={error} retry={reset} />,
})

/** The part that every route has: `createRoute({ ...at('/customers'), component: … })`. */
export const at = <const Path extends string>(path: Path) => ({ getParentRoute: () => root, path }) as const
