import { createRouter } from '@tanstack/react-router'
import { buildRoutes } from './routes/build.ts'
import { moneyRoutes } from './routes/money.ts'
import { peopleRoutes } from './routes/people.ts'
import { root } from './routes/root.tsx'
import { settingsRoutes } from './routes/settings.ts'

export const router = createRouter({
  routeTree: root.addChildren([...peopleRoutes, ...moneyRoutes, ...buildRoutes, ...settingsRoutes]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
