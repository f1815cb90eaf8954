import { createRouter } from '@tanstack/react-router'
import { PageError } from './page-error.tsx'
import { booksRoutes } from './routes/books.ts'
import { buildRoutes } from './routes/build.ts'
import { platformRoutes } from './routes/platform.ts'
import { recordsRoutes } from './routes/records.ts'
import { root } from './routes/root.tsx'
import { workRoutes } from './routes/work.ts'

export const router = createRouter({
  routeTree: root.addChildren([
    ...workRoutes,
    ...recordsRoutes,
    ...booksRoutes,
    ...buildRoutes,
    ...platformRoutes,
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultErrorComponent: PageError,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
