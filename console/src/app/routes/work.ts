import { createRoute } from '@tanstack/react-router'
import { createSearchValidator } from '../../ui/search-text.ts'
import { createLazyPage } from '../lazy-page.ts'
import { at } from './root.tsx'

const overview = createRoute({
  ...at('/'),
  validateSearch: createSearchValidator('days', 'currency'),
  component: createLazyPage(() => import('../../pages/overview/overview-page.tsx'), 'Overview'),
})

const approvals = createRoute({
  ...at('/approvals'),
  validateSearch: createSearchValidator('kind', 'customerId'),
  component: createLazyPage(() => import('../../pages/approvals/approval-list.tsx'), 'ApprovalList'),
})

const approval = createRoute({
  ...at('/approvals/$objectId'),
  validateSearch: createSearchValidator('kind', 'customerId'),
  component: createLazyPage(() => import('../../pages/approvals/approval-page.tsx'), 'ApprovalPage'),
})

const verifications = createRoute({
  ...at('/verifications'),
  validateSearch: createSearchValidator('status', 'customerId'),
  component: createLazyPage(
    () => import('../../pages/verifications/verification-list.tsx'),
    'VerificationList',
  ),
})

const verification = createRoute({
  ...at('/verifications/$verificationId'),
  component: createLazyPage(
    () => import('../../pages/verifications/verification-page.tsx'),
    'VerificationPage',
  ),
})

/** Routes of pending work: the overview, approvals and verifications. */
export const workRoutes = [overview, approvals, approval, verifications, verification] as const
