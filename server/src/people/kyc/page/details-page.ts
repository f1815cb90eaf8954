import { html } from '../../../base/formats/html.ts'
import { valueAt } from '../../../base/json/paths.ts'
import { maskIdentifier } from '../../customers/beneficial-owners.ts'
import { customerView } from '../../customers/customers.ts'
import { inLabels, toTyped } from './answers.ts'
import { customerFields, type Field } from './fields.ts'
import { type Fault, fieldsHtml, renderHiddenFields, summary, type Typed } from './form.ts'
import { notes, stepPage, type Visit } from './layout.ts'
import { type Progress, stepOf } from './progress.ts'

/** The refused input. */
export interface Tried {
  readonly typed: Typed
  readonly faults: readonly Fault[]
}

/** The questions for this customer. */
export function detailsFields({ one, requested }: Progress): readonly Field[] {
  const { id, customer_type } = one.customer
  const asked = requested.filter(({ resourceId }) => resourceId === id).map(({ field }) => field ?? '')
  return customerFields(customer_type, new Set(asked))
}

/** A record's known secrets, as shown. Pure. */
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

/** The first step: the customer's details. */
export function detailsPage(visit: Visit, progress: Progress, tried?: Tried): string {
  const fields = detailsFields(progress)
  const record = customerView(progress.one.customer)
  const faults = inLabels(tried?.faults ?? [], fields)
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
