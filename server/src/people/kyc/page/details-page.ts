import { html } from '../../../base/formats/html.ts'
import { getValueAt } from '../../../base/json/paths.ts'
import { maskIdentifier } from '../../customers/beneficial-owners.ts'
import { toCustomerView } from '../../customers/customers.ts'
import { replaceNamesWithLabels, toTyped } from './answers.ts'
import { type Field, listCustomerFields } from './fields.ts'
import { type Fault, renderFields, renderHiddenFields, renderSummary, type Typed } from './form.ts'
import { renderReviewerNotes, renderStepPage, type Visit } from './layout.ts'
import { findStep, type Progress } from './progress.ts'

/** Rejected input, with its faults. */
export interface RejectedInput {
  readonly typed: Typed
  readonly faults: readonly Fault[]
}

/** Lists the questions for this customer, including the fields that a reviewer has requested. */
export function listDetailsFields({ customerCase, requested }: Progress): readonly Field[] {
  const { id, customer_type } = customerCase.customer
  const requestedFields = requested
    .filter(({ resourceId }) => resourceId === id)
    .map(({ field }) => field ?? '')
  return listCustomerFields(customer_type, new Set(requestedFields))
}

/** Lists the masked secrets of a record by field name. Pure. */
export function listKnownSecrets(fields: readonly Field[], record: unknown): ReadonlyMap<string, string> {
  return new Map(
    fields
      .filter(({ kind }) => kind === 'secret')
      .flatMap(({ name }) => {
        const value = getValueAt(record, name)
        return typeof value === 'string' ? [[name, maskIdentifier(value)] as const] : []
      }),
  )
}

/** Renders the first step, which asks for the customer's details. */
export function renderDetailsPage(visit: Visit, progress: Progress, tried?: RejectedInput): string {
  const fields = listDetailsFields(progress)
  const record = toCustomerView(progress.customerCase.customer)
  const faults = replaceNamesWithLabels(tried?.faults ?? [], fields)
  const filled = {
    typed: tried?.typed ?? toTyped(fields, record),
    shown: listKnownSecrets(fields, record),
    faults,
  }
  const reasons = progress.requested
    .filter((entry) => findStep(progress, entry) === 'details')
    .map(({ reason }) => reason)
  return renderStepPage(visit, progress, 'details', {
    summary: renderSummary(faults, fields),
    content: html`${renderReviewerNotes(reasons)}
<form method="post" action="${visit.base}/details" novalidate>
${renderHiddenFields(visit.formToken)}
${renderFields(fields, filled)}
<div class="actions"><button>Save and continue</button></div>
</form>`,
  })
}
