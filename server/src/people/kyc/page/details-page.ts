import { html } from '../../../base/formats/html.ts'
import { valueAt } from '../../../base/json/paths.ts'
import { maskIdentifier } from '../../customers/beneficial-owners.ts'
import { customerView } from '../../customers/customers.ts'
import { toTyped, withLabels } from './answers.ts'
import { customerFields, type Field } from './fields.ts'
import { type Fault, fieldsHtml, renderHiddenFields, summary, type Typed } from './form.ts'
import { notes, stepPage, type Visit } from './layout.ts'
import { type Progress, stepOf } from './progress.ts'

/** Input that was rejected, with its faults. */
export interface Tried {
  readonly typed: Typed
  readonly faults: readonly Fault[]
}

/** The questions for this customer, including those for fields that a reviewer has requested. */
export function detailsFields({ one, requested }: Progress): readonly Field[] {
  const { id, customer_type } = one.customer
  const requestedFields = requested
    .filter(({ resourceId }) => resourceId === id)
    .map(({ field }) => field ?? '')
  return customerFields(customer_type, new Set(requestedFields))
}

/** The masked secrets of a record, by field name. Pure. */
export function listKnownSecrets(fields: readonly Field[], record: unknown): ReadonlyMap<string, string> {
  return new Map(
    fields
      .filter(({ kind }) => kind === 'secret')
      .flatMap(({ name }) => {
        const value = valueAt(record, name)
        return typeof value === 'string' ? [[name, maskIdentifier(value)] as const] : []
      }),
  )
}

/** The first step, which asks for the customer's details. */
export function detailsPage(visit: Visit, progress: Progress, tried?: Tried): string {
  const fields = detailsFields(progress)
  const record = customerView(progress.one.customer)
  const faults = withLabels(tried?.faults ?? [], fields)
  const filled = {
    typed: tried?.typed ?? toTyped(fields, record),
    shown: listKnownSecrets(fields, record),
    faults,
  }
  const reasons = progress.requested
    .filter((entry) => stepOf(progress, entry) === 'details')
    .map(({ reason }) => reason)
  return stepPage(visit, progress, 'details', {
    summary: summary(faults, fields),
    content: html`${notes(reasons)}
<form method="post" action="${visit.base}/details" novalidate>
${renderHiddenFields(visit.formToken)}
${fieldsHtml(fields, filled)}
<div class="actions"><button>Save and continue</button></div>
</form>`,
  })
}
