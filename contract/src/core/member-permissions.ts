import { Type } from 'typebox'
import { PERMISSIONS } from './endpoint.ts'
import { OneOfWords } from './schema.ts'

/** The permissions of a member or a role. */
export const MemberPermissions = Type.Array(OneOfWords(PERMISSIONS), {
  minItems: 1,
  maxItems: PERMISSIONS.length,
  uniqueItems: true,
  description:
    'VIEW reads, TRANSACT moves money, MANAGE changes records and settings, APPROVE decides what needs ' +
    'approval or manual review, REVIEW decides customer verifications',
})
