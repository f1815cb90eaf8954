import { expect, test } from 'vitest'
import { canRunGuides, runGuide } from './guide.testing.ts'

test.skipIf(!canRunGuides)(
  'the guide to letting customers in can be followed to its end, to the letter',
  async () => {
    const { stdout } = await runGuide('customers.md')
    expect(stdout.trim().split('\n')).toEqual([
      'MANUAL',
      'birthDate nationality address MISSING_IDENTITY_DOCUMENT MISSING_PROOF_OF_ADDRESS_DOCUMENT',
      ...['scan.pdf', 'PENDING_MANUAL_REVIEW'],
      ...['APPROVED', 'APPROVED', '4'],
      '*******6789',
      'MISSING_LEGAL_PRESENCE_DOCUMENT MISSING_OWNERSHIP_STRUCTURE_DOCUMENT MISSING_CONTROL_STRUCTURE_DOCUMENT MISSING_PROOF_OF_ADDRESS_DOCUMENT',
      ...['APPROVED', 'APPROVED'],
      ...['COUNTERSIGN', 'VERIFIED'],
      ...['SCHEDULED', expect.stringMatching(/^\d{4}-\d\d-\d\dT/)],
    ])
  },
)
