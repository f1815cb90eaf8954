import {
  type BinaryOperationNode,
  ColumnNode,
  type OperationNode,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  ReferenceNode,
  ValueListNode,
  ValueNode,
} from 'kysely'
import { extractUuid } from '../engine/ids.ts'
import { isIdColumn } from '../schema/id-columns.ts'

/** Compiles Kysely's statements, and converts values compared with id columns to uuids. */
export class IdCompiler extends PostgresQueryCompiler {
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { leftOperand, rightOperand } = node
    super.visitBinaryOperation(
      isIdReference(leftOperand) ? { ...node, rightOperand: convertIds(rightOperand) } : node,
    )
  }
}

function isIdReference(node: OperationNode): boolean {
  return ReferenceNode.is(node) && ColumnNode.is(node.column) && isIdColumn(node.column.column.name)
}

/** Converts ids to uuids. Operands that are not values, such as another column, are unchanged. */
function convertIds(node: OperationNode): OperationNode {
  if (ValueNode.is(node)) {
    const uuid: ValueNode = { ...node, value: toUuid(node.value) }
    return uuid
  }
  if (PrimitiveValueListNode.is(node)) return PrimitiveValueListNode.create(node.values.map(toUuid))
  if (ValueListNode.is(node)) return ValueListNode.create(node.values.map(convertIds))
  return node
}

function toUuid(value: unknown): unknown {
  return typeof value === 'string' ? extractUuid(value) : value
}
