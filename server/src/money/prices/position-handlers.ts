import type { positions } from '@countersign/contract/payments/positions'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { findPositions, toPositionView } from './positions.ts'

export const positionHandlers: Handlers<typeof positions> = {
  position_list: async (op) => ({
    status: 200,
    body: { data: (await findPositions(op)).map((row) => toPositionView(op, row)) },
  }),
}
