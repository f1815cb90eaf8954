import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { textSearch } from '../../ui/filters.tsx'
import { at } from './root.tsx'

const agents = createRoute({
  ...at('/agents'),
  validateSearch: textSearch('customerId', 'state', 'connected', 'from', 'to'),
  component: lazyRouteComponent(() => import('../../pages/agents/agent-list.tsx'), 'AgentList'),
})

const agent = createRoute({
  ...at('/agents/$agentId'),
  component: lazyRouteComponent(() => import('../../pages/agents/agent-page.tsx'), 'AgentPage'),
})

const policy = createRoute({
  ...at('/agents/$agentId/policy'),
  component: lazyRouteComponent(() => import('../../pages/agents/policy-page.tsx'), 'PolicyPage'),
})

const cards = createRoute({
  ...at('/cards'),
  validateSearch: textSearch('state', 'cardholderId', 'platformCardId'),
  component: lazyRouteComponent(() => import('../../pages/cards/card-list.tsx'), 'CardList'),
})

const card = createRoute({
  ...at('/cards/$cardId'),
  component: lazyRouteComponent(() => import('../../pages/cards/card-page.tsx'), 'CardPage'),
})

const events = createRoute({
  ...at('/events'),
  validateSearch: textSearch('type', 'objectId', 'deliveryStatus', 'from', 'to'),
  component: lazyRouteComponent(() => import('../../pages/events/event-list.tsx'), 'EventList'),
})

const event = createRoute({
  ...at('/events/$eventId'),
  component: lazyRouteComponent(() => import('../../pages/events/event-page.tsx'), 'EventPage'),
})

const requests = createRoute({
  ...at('/requests'),
  validateSearch: textSearch('requestId', 'method', 'statusClass', 'path', 'actorId', 'from', 'to'),
  component: lazyRouteComponent(() => import('../../pages/requests/request-list.tsx'), 'RequestList'),
})

const request = createRoute({
  ...at('/requests/$requestId'),
  component: lazyRouteComponent(() => import('../../pages/requests/request-page.tsx'), 'RequestPage'),
})

const audit = createRoute({
  ...at('/audit'),
  validateSearch: textSearch('operation', 'requestId', 'actorId', 'objectId', 'customerId', 'from', 'to'),
  component: lazyRouteComponent(() => import('../../pages/audit/audit-list.tsx'), 'AuditList'),
})

const auditEvent = createRoute({
  ...at('/audit/$auditEventId'),
  component: lazyRouteComponent(() => import('../../pages/audit/audit-page.tsx'), 'AuditPage'),
})

/** What is built with the platform, and what it has done. */
export const buildRoutes = [
  ...[agents, agent, policy, cards, card],
  ...[events, event, requests, request, audit, auditEvent],
] as const
