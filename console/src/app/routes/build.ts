import { createRoute } from '@tanstack/react-router'
import { createSearchValidator } from '../../ui/search-text.ts'
import { createLazyPage } from '../lazy-page.ts'
import { at } from './root.tsx'

const events = createRoute({
  ...at('/events'),
  validateSearch: createSearchValidator('type', 'objectId', 'deliveryStatus', 'from', 'to'),
  component: createLazyPage(() => import('../../pages/events/event-list.tsx'), 'EventList'),
})

const event = createRoute({
  ...at('/events/$eventId'),
  component: createLazyPage(() => import('../../pages/events/event-page.tsx'), 'EventPage'),
})

const requests = createRoute({
  ...at('/requests'),
  validateSearch: createSearchValidator(
    'httpRequestId',
    'method',
    'statusClass',
    'path',
    'actorId',
    'from',
    'to',
  ),
  component: createLazyPage(() => import('../../pages/requests/request-list.tsx'), 'RequestList'),
})

const request = createRoute({
  ...at('/requests/$httpRequestId'),
  component: createLazyPage(() => import('../../pages/requests/request-page.tsx'), 'RequestPage'),
})

/** Routes for developers: webhook events and API requests. */
export const buildRoutes = [events, event, requests, request] as const
