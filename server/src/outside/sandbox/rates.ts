import type { KnownCurrency } from '@countersign/contract/core/currencies'
import { buildTable, keysOf } from '@countersign/contract/core/objects'
import type { NetworkAsset } from '../../base/pricing/network-assets.ts'
import { TABLE_MS, toRatio } from '../../base/pricing/ratios.ts'
import type { RateProvider } from '../../kernel/ports/rates.ts'

/** US dollars per unit. Plausible and constant, so that tests can predict quotes. */
const USD_PER_UNIT: Readonly<Record<KnownCurrency | NetworkAsset, string>> = {
  AED: '0.2723',
  ARS: '0.00071',
  BDT: '0.0082',
  BRL: '0.185',
  BTC: '95000',
  BWP: '0.0735',
  CAD: '0.715',
  CNY: '0.14',
  COP: '0.00025',
  DKK: '0.155',
  EGP: '0.021',
  ETH: '3500',
  EUR: '1.16',
  GBP: '1.31',
  GHS: '0.091',
  GTQ: '0.13',
  HKD: '0.1285',
  HTG: '0.0076',
  IDR: '0.00006',
  INR: '0.0113',
  JMD: '0.0062',
  KES: '0.0077',
  MWK: '0.00058',
  MXN: '0.0545',
  MYR: '0.241',
  NGN: '0.00069',
  PHP: '0.017',
  PKR: '0.00355',
  POL: '0.25',
  RWF: '0.00069',
  SGD: '0.766',
  SOL: '150',
  THB: '0.0308',
  TRX: '0.3',
  TZS: '0.00041',
  UGX: '0.00028',
  USD: '1',
  USDB: '1',
  USDC: '1',
  USDT: '1',
  VND: '0.000038',
  XAF: '0.00177',
  XOF: '0.00177',
  ZAR: '0.058',
  ZMW: '0.044',
}

const RATIOS = buildTable(keysOf(USD_PER_UNIT), (currency) => toRatio(USD_PER_UNIT[currency]))

/** Serves the table above with a new date every five minutes, which is the same in every process. */
export function createSandboxRates(clock: () => Date): RateProvider {
  return {
    async snapshot() {
      const nowMs = clock().getTime()
      return {
        updatedAt: new Date(nowMs - (nowMs % TABLE_MS)),
        usdPerUnit: (currency) => RATIOS[currency],
      }
    },
  }
}
