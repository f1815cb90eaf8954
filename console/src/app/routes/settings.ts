import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { textSearch } from '../../ui/filters.tsx'
import { at } from './root.tsx'

const settings = createRoute({
  ...at('/settings'),
  validateSearch: textSearch('part'),
  component: lazyRouteComponent(() => import('../../pages/settings/settings.tsx'), 'Settings'),
})

export const settingsRoutes = [settings] as const
