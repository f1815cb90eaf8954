import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { textSearch } from '../../ui/filters.tsx'
import { at } from './root.tsx'

const overview = createRoute({
  ...at('/'),
  validateSearch: textSearch('days', 'currency'),
  component: lazyRouteComponent(() => import('../../pages/overview/overview.tsx'), 'Overview'),
})

const customers = createRoute({
  ...at('/customers'),
  validateSearch: textSearch('search', 'customerType', 'from', 'to', 'deleted'),
  component: lazyRouteComponent(() => import('../../pages/customers/customer-list.tsx'), 'CustomerList'),
})

const customer = createRoute({
  ...at('/customers/$customerId'),
  component: lazyRouteComponent(() => import('../../pages/customers/customer-page.tsx'), 'CustomerPage'),
})

export const peopleRoutes = [overview, customers, customer] as const
