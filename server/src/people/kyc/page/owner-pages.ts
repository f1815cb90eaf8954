import { MAJOR_OWNER_PERCENT } from '@countersign/contract/customers/verification-requirements'
import { type Html, html } from '../../../base/formats/html.ts'
import type { BeneficialOwnerRow } from '../../../storage/rows/verification.ts'
import { beneficialOwnerView } from '../../customers/beneficial-owners.ts'
import { toTyped, withLabels } from './answers.ts'
import { listKnownSecrets, type Tried } from './details-page.ts'
import { OWNER_FIELDS } from './fields.ts'
import { checkbox, type Fault, fieldsHtml, renderHiddenFields, summary } from './form.ts'
import { notes, stepPage, type Visit } from './layout.ts'
import { listMissing, type Progress, stepOf } from './progress.ts'

export const WIDELY_HELD = 'isWidelyHeld'

/** Lists the owners entered so far, and asks whether there are others. */
export function ownersPage(visit: Visit, progress: Progress, faults: readonly Fault[] = []): string {
  const { owners, customer } = progress.one
  const totalShare = owners.reduce((sum, { ownership_percentage }) => sum + ownership_percentage, 0)
  const isShown = 100 - totalShare >= MAJOR_OWNER_PERCENT
  const reasons = listMissing(progress)
    .filter((entry) => stepOf(progress, entry) === 'owners' && entry.type !== 'MISSING_BENEFICIAL_OWNER')
    .map((entry) => {
      const owner = owners.find(({ id }) => id === entry.resourceId)
      return owner ? `${nameOf(owner)}: ${entry.reason}` : entry.reason
    })
  return stepPage(visit, progress, 'owners', {
    summary: summary(faults, [{ name: WIDELY_HELD }]),
    content: html`${notes(reasons)}
<p>Name everybody who holds ${MAJOR_OWNER_PERCENT} % of the business or more, and at least one person who controls it.</p>
${owners.length > 0 && html`<ul class="plain">${owners.map((owner) => ownerCard(visit, owner))}</ul>`}
<p><a class="button second" href="${visit.base}/owner">${owners.length > 0 ? 'Add another person' : 'Add a person'}</a></p>
<form method="post" action="${visit.base}/owners">
${renderHiddenFields(visit.formToken)}
${
  isShown &&
  checkbox(
    WIDELY_HELD,
    'true',
    `No other person holds ${MAJOR_OWNER_PERCENT} % or more`,
    customer.details.businessInfo?.isWidelyHeld === true,
  )
}
<div class="actions"><button>Continue</button></div>
</form>`,
  })
}

function ownerCard({ base }: Visit, owner: BeneficialOwnerRow): Html {
  return html`<li class="card"><div class="row"><div><h3>${nameOf(owner)}</h3><p class="soft">${describeOwner(owner)}</p></div>
<a class="link" href="${base}/owner?id=${owner.id}">Change<span class="hidden"> ${nameOf(owner)}</span></a></div></li>`
}

export function nameOf({ personal_info }: BeneficialOwnerRow): string {
  return `${personal_info.firstName} ${personal_info.lastName}`
}

const ROLES = OWNER_FIELDS.find(({ name }) => name === 'roles')?.choices

export function describeOwner({ ownership_percentage, roles }: BeneficialOwnerRow): string {
  const words = roles.map((role) => ROLES?.get(role)?.split(',')[0] ?? role)
  return [`${ownership_percentage} %`, ...words].join(' · ')
}

/** The form for a person who owns or controls the business, either new or changed. */
export function ownerPage(
  visit: Visit,
  progress: Progress,
  owner: BeneficialOwnerRow | undefined,
  tried?: Tried,
): string {
  const record = owner && beneficialOwnerView(owner)
  const faults = withLabels(tried?.faults ?? [], OWNER_FIELDS)
  const filled = {
    typed: tried?.typed ?? toTyped(OWNER_FIELDS, record),
    shown: listKnownSecrets(OWNER_FIELDS, record),
    faults,
  }
  const action = owner ? `${visit.base}/owner?id=${owner.id}` : `${visit.base}/owner`
  return stepPage(visit, progress, 'owners', {
    title: owner ? nameOf(owner) : 'Add a person',
    summary: summary(faults, OWNER_FIELDS),
    content: html`<form method="post" action="${action}" novalidate>
${renderHiddenFields(visit.formToken, visit.newKey())}
${fieldsHtml(OWNER_FIELDS, filled)}
<div class="actions"><button>Save this person</button><a class="link" href="${visit.base}/owners">Cancel</a></div>
</form>`,
  })
}
