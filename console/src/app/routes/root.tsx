import { createRootRoute } from '@tanstack/react-router'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { Shell } from '../shell.tsx'

/** The root route, which renders the shell around every page. */
export const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => <EmptyState title="Page not found">Choose a page from the navigation.</EmptyState>,
  errorComponent: ({ error, reset }) => <ErrorState error={error} retry={reset} />,
})

/** The options common to all routes: `createRoute({ ...at('/customers'), component: … })`. */
export const at = <const Path extends string>(path: Path) => ({ getParentRoute: () => root, path }) as const
