import { createRootRoute } from '@tanstack/react-router'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { Shell } from '../shell.tsx'

/** The frame of all pages. */
export const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => <EmptyState title="Page not found">Choose a page from the navigation.</EmptyState>,
  errorComponent: ({ error, reset }) => <ErrorState error={error} retry={reset} />,
})

/** The options that every route has: `createRoute({ ...at('/customers'), component: … })`. */
export const at = <const Path extends string>(path: Path) => ({ getParentRoute: () => root, path }) as const
