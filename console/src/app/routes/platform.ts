import { createRoute } from '@tanstack/react-router'
import { createSearchValidator } from '../../ui/search-text.ts'
import { createLazyPage } from '../lazy-page.ts'
import { at } from './root.tsx'

const audit = createRoute({
  ...at('/audit'),
  validateSearch: createSearchValidator(
    'operation',
    'httpRequestId',
    'actorId',
    'objectId',
    'customerId',
    'from',
    'to',
  ),
  component: createLazyPage(() => import('../../pages/audit/audit-list.tsx'), 'AuditList'),
})

const auditEvent = createRoute({
  ...at('/audit/$auditEventId'),
  component: createLazyPage(() => import('../../pages/audit/audit-page.tsx'), 'AuditPage'),
})

const settings = createRoute({
  ...at('/settings'),
  validateSearch: createSearchValidator('part'),
  component: createLazyPage(() => import('../../pages/settings/settings-page.tsx'), 'Settings'),
})

/** Routes of the platform's audit trail and settings. */
export const platformRoutes = [audit, auditEvent, settings] as const
