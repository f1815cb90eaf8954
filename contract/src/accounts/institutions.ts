import type { KnownCurrency } from '../core/currencies.ts'

/** A bank or mobile money operator, with the name that external accounts must use. */
export interface Institution {
  /** The exact value for `bankName` or `provider`. */
  readonly bankName: string
  /** The name by which people know it. */
  readonly displayName: string
  /** ISO 3166-1 alpha-2. */
  readonly country: string
  readonly currency: KnownCurrency
}

/**
 * Banks and mobile money operators of the countries whose account types require a name, as of January 2026.
 * Compiled by hand from public registers: the lists of licensed banks, and of electronic money issuers or
 * payment service providers, of Bangladesh Bank, Bank of Botswana, BEAC and COBAC (CM, CG), BCEAO (BJ, CI,
 * SN, TG), the National Financial Regulatory Administration and the People's Bank of China, Superintendencia
 * Financiera de Colombia, the Central Bank of Egypt, the Bank of Ghana, the Hong Kong Monetary Authority,
 * Otoritas Jasa Keuangan and Bank Indonesia, the Central Bank of Kenya, Bank Negara Malaysia, the Reserve
 * Bank of Malawi, the Central Bank of Nigeria, the State Bank of Pakistan, Bangko Sentral ng Pilipinas, the
 * National Bank of Rwanda, Superintendencia del Sistema Financiero (SV), the Monetary Authority of Singapore,
 * the Bank of Tanzania, the Bank of Thailand, the Bank of Uganda, the State Bank of Vietnam, the Prudential
 * Authority of South Africa and the Bank of Zambia. An entry is `bankName`, or `bankName | displayName`.
 * Never remove a name, because existing accounts may use it.
 */
const REGISTERS: readonly (readonly [country: string, currency: KnownCurrency, names: string])[] = [
  [
    'BD',
    'BDT',
    `AB Bank; Agrani Bank; Al-Arafah Islami Bank; Bangladesh Commerce Bank; Bangladesh Development Bank;
     Bangladesh Krishi Bank; Bank Al-Falah Bangladesh; Bank Asia; BASIC Bank; Bengal Commercial Bank;
     BRAC Bank; Citibank N.A. Bangladesh; Citizens Bank Bangladesh; City Bank;
     Commercial Bank of Ceylon Bangladesh; Community Bank Bangladesh; Dhaka Bank; Dutch-Bangla Bank;
     Eastern Bank; EXIM Bank Bangladesh; First Security Islami Bank; Global Islami Bank;
     Habib Bank Bangladesh; HSBC Bangladesh; ICB Islamic Bank; IFIC Bank; Islami Bank Bangladesh; Jamuna Bank;
     Janata Bank; Meghna Bank; Mercantile Bank; Midland Bank; Modhumoti Bank; Mutual Trust Bank;
     National Bank; National Bank of Pakistan Bangladesh; NCC Bank; NRB Bank; NRBC Bank; One Bank; Padma Bank;
     Prime Bank; Probashi Kallyan Bank; Pubali Bank; Rajshahi Krishi Unnayan Bank; Rupali Bank; SBAC Bank;
     Shahjalal Islami Bank; Shimanto Bank; Social Islami Bank; Sonali Bank; Southeast Bank;
     Standard Bank Bangladesh; Standard Chartered Bangladesh; State Bank of India Bangladesh; Trust Bank;
     Union Bank Bangladesh; United Commercial Bank; Uttara Bank; Woori Bank Bangladesh; bKash; Nagad; Rocket;
     Upay; CellFin; OK Wallet; MYCash; SureCash; Tap; Islamic Wallet`,
  ],
  ['BJ', 'XOF', 'MTN Mobile Money | MTN MoMo; Moov Money; Celtiis Cash'],
  ['BW', 'BWP', 'Orange Money; MyZaka | Mascom MyZaka; Smega | BTC Smega'],
  ['CG', 'XAF', 'MTN Mobile Money | MTN MoMo; Airtel Money'],
  ['CI', 'XOF', 'Orange Money; MTN Mobile Money | MTN MoMo; Moov Money; Wave'],
  ['CM', 'XAF', 'MTN Mobile Money | MTN MoMo; Orange Money'],
  [
    'CN',
    'CNY',
    `Agricultural Bank of China | ABC; Bank of Beijing; Bank of Changsha; Bank of Chengdu;
     Bank of China | BOC; Bank of Communications | BoCom; Bank of Dalian; Bank of Gansu; Bank of Guangzhou;
     Bank of Guiyang; Bank of Hangzhou; Bank of Hebei; Bank of Jiangsu; Bank of Jilin; Bank of Jinzhou;
     Bank of Lanzhou; Bank of Nanjing; Bank of Ningbo; Bank of Qingdao; Bank of Shanghai; Bank of Suzhou;
     Bank of Tianjin; Bank of Xi'an; Bank of Zhengzhou; Beijing Rural Commercial Bank; China Bohai Bank;
     China CITIC Bank; China Construction Bank | CCB; China Everbright Bank; China Guangfa Bank | CGB;
     China Merchants Bank | CMB; China Minsheng Bank; China Zheshang Bank; Chongqing Rural Commercial Bank;
     DBS Bank (China); Evergrowing Bank; Hang Seng Bank (China); Harbin Bank; HSBC Bank (China); Hua Xia Bank;
     Huishang Bank; Industrial and Commercial Bank of China | ICBC; Industrial Bank | CIB; MYbank;
     Ping An Bank; Postal Savings Bank of China | PSBC; Shanghai Pudong Development Bank | SPDB;
     Shanghai Rural Commercial Bank; Shengjing Bank; Standard Chartered Bank (China); Sichuan XW Bank; WeBank;
     Zhongyuan Bank; Alipay; WeChat Pay | Weixin Pay; UnionPay QuickPass; JD Pay`,
  ],
  [
    'CO',
    'COP',
    `Banco Agrario de Colombia; Banco AV Villas; Banco BTG Pactual Colombia; Banco Caja Social;
     Banco Contactar; Banco Cooperativo Coopcentral; Banco Davivienda | Davivienda; Banco de Bogotá;
     Banco de Occidente; Banco Falabella; Banco Finandina; Banco GNB Sudameris; Banco J.P. Morgan Colombia;
     Banco Mundo Mujer; Banco Pichincha; Banco Popular; Banco Santander de Negocios Colombia;
     Banco Serfinanza; Banco Unión; Bancamía; Bancóldex; Bancolombia; Bancoomeva; Ban100; BBVA Colombia;
     BNP Paribas Colombia; Citibank Colombia; Coltefinanciera; Confiar Cooperativa Financiera; Coofinep;
     Cooperativa Financiera de Antioquia; Cotrafa; Itaú Colombia; JFK Cooperativa Financiera; Lulo Bank;
     MiBanco; Nu Colombia | Nu; Scotiabank Colpatria; Daviplata; Dale!; Ding; Global66 Colombia; Iris; Movii;
     Nequi; Pibank; RappiPay; Tpaga; Ualá Colombia; Powwi; Bold CF`,
  ],
  [
    'EG',
    'EGP',
    `Abu Dhabi Commercial Bank Egypt; Abu Dhabi Islamic Bank Egypt; Agricultural Bank of Egypt;
     Ahli United Bank Egypt; Al Ahli Bank of Kuwait Egypt | ABK Egypt; Al Baraka Bank Egypt;
     Alexbank | Bank of Alexandria; Arab African International Bank; Arab Bank Egypt;
     Arab Banking Corporation Egypt | Bank ABC Egypt; Arab International Bank; Arab Investment Bank | aiBANK;
     Attijariwafa Bank Egypt; Bank NXT; Banque du Caire; Banque Misr; Citibank Egypt;
     Commercial International Bank | CIB; Crédit Agricole Egypt; Egyptian Arab Land Bank;
     Egyptian Gulf Bank | EGBANK; Emirates NBD Egypt; Export Development Bank of Egypt | EBank;
     Faisal Islamic Bank of Egypt; First Abu Dhabi Bank Misr | FABMISR; Housing and Development Bank;
     HSBC Egypt; Industrial Development Bank; Kuwait Finance House Egypt; Mashreq Egypt; MIDBANK;
     National Bank of Egypt; National Bank of Greece Egypt; National Bank of Kuwait Egypt | NBK Egypt;
     Nasser Social Bank; QNB Egypt; Société Arabe Internationale de Banque | saib; Standard Chartered Egypt;
     Suez Canal Bank; The United Bank; Vodafone Cash; Orange Cash; Etisalat Cash | e& money; WE Pay;
     CIB Smart Wallet; Meeza Digital; Phone Cash; BM Wallet; QNB Mobile Wallet; Telda; Klivvr`,
  ],
  [
    'GH',
    'GHS',
    `Absa Bank Ghana; Access Bank Ghana; Agricultural Development Bank | ADB; Bank of Africa Ghana; CalBank;
     Consolidated Bank Ghana; Ecobank Ghana; FBNBank Ghana | FirstBank Ghana; Fidelity Bank Ghana;
     First Atlantic Bank; First National Bank Ghana; GCB Bank; Guaranty Trust Bank Ghana;
     National Investment Bank; OmniBSIC Bank; Prudential Bank; Republic Bank Ghana; Société Générale Ghana;
     Stanbic Bank Ghana; Standard Chartered Ghana; United Bank for Africa Ghana; Universal Merchant Bank;
     Zenith Bank Ghana; ARB Apex Bank; AirtelTigo Money | AT Money; G-Money; GhanaPay;
     MTN Mobile Money | MTN MoMo; Vodafone Cash | Telecel Cash; Zeepay`,
  ],
  [
    'HK',
    'HKD',
    `Agricultural Bank of China Hong Kong Branch; Airstar Bank; Ant Bank (Hong Kong);
     Australia and New Zealand Banking Group | ANZ; Bank of China (Hong Kong) | BOCHK;
     Bank of Communications (Hong Kong); Bank of East Asia | BEA; Bank Julius Baer Hong Kong;
     Bank of Singapore Hong Kong; BNP Paribas Hong Kong; China CITIC Bank International;
     China Construction Bank (Asia); China Merchants Bank Hong Kong Branch; Chiyu Banking Corporation;
     Chong Hing Bank; Citibank (Hong Kong) | Citi; CMB Wing Lung Bank; Dah Sing Bank; DBS Bank (Hong Kong);
     Deutsche Bank Hong Kong; Fubon Bank (Hong Kong); Fusion Bank; Hang Seng Bank;
     Hongkong and Shanghai Banking Corporation | HSBC;
     Industrial and Commercial Bank of China (Asia) | ICBC Asia; JPMorgan Chase Bank Hong Kong; livi bank;
     Mizuho Bank Hong Kong; Mox Bank; MUFG Bank Hong Kong; Nanyang Commercial Bank; OCBC Bank (Hong Kong);
     PAObank | PAO Bank; Public Bank (Hong Kong); Shanghai Commercial Bank;
     Standard Chartered Bank (Hong Kong); Sumitomo Mitsui Banking Corporation Hong Kong; Tai Sang Bank;
     Tai Yau Bank; UBS Hong Kong; WeLab Bank; ZA Bank; AlipayHK; Octopus; PayMe; WeChat Pay HK; Tap & Go;
     TNG Wallet`,
  ],
  [
    'ID',
    'IDR',
    `Allo Bank Indonesia; Bank Aceh Syariah; Bank Aladin Syariah; Bank Amar Indonesia; Bank ANZ Indonesia;
     Bank Artha Graha; Bank BCA Syariah; Bank BJB; Bank BJB Syariah; Bank BPD Bali; Bank BTPN Syariah;
     Bank Bumi Arta; Bank Capital Indonesia; Bank Central Asia | BCA; Bank China Construction Bank Indonesia;
     Bank CIMB Niaga; Bank CTBC Indonesia; Bank Danamon Indonesia; Bank DBS Indonesia;
     Bank DKI | Bank Jakarta; Bank Ganesha; Bank Hana Indonesia | KEB Hana; Bank HSBC Indonesia;
     Bank IBK Indonesia; Bank ICBC Indonesia; Bank Ina Perdana; Bank Index Selindo; Bank Jago; Bank Jambi;
     Bank Jasa Jakarta | Saqu; Bank Jateng; Bank Jatim; Bank Kalbar; Bank Kalsel; Bank Kalteng;
     Bank Kaltimtara; Bank KB Bukopin | KB Bank; Bank Lampung; Bank Maluku Malut; Bank Mandiri; Bank Maspion;
     Bank Mayapada; Bank Maybank Indonesia; Bank Mega; Bank Mega Syariah; Bank Mestika; Bank Mizuho Indonesia;
     Bank MNC; Bank Muamalat; Bank Nagari; Bank Nationalnobu; Bank Negara Indonesia | BNI; Bank Neo Commerce;
     Bank NTB Syariah; Bank NTT; Bank OCBC NISP; Bank Panin; Bank Panin Dubai Syariah; Bank Papua;
     Bank Permata; Bank QNB Indonesia; Bank Rakyat Indonesia | BRI; Bank Raya Indonesia; Bank Resona Perdania;
     Bank Riau Kepri Syariah; Bank Sahabat Sampoerna; Bank SBI Indonesia; Bank Shinhan Indonesia;
     Bank Sinarmas; Bank SMBC Indonesia; Bank Sulselbar; Bank Sulteng; Bank Sultra; Bank SulutGo;
     Bank Sumsel Babel; Bank Sumut; Bank Syariah Indonesia | BSI; Bank Tabungan Negara | BTN;
     Bank UOB Indonesia; Bank Victoria International; Bank Woori Saudara; Citibank Indonesia; Krom Bank;
     SeaBank Indonesia; Standard Chartered Indonesia; Superbank Indonesia; DANA; GoPay; LinkAja; OVO;
     ShopeePay Indonesia`,
  ],
  ['KE', 'KES', 'M-Pesa | M-PESA; Airtel Money; T-Kash'],
  ['MW', 'MWK', 'Airtel Money; TNM Mpamba | Mpamba'],
  [
    'MY',
    'MYR',
    `AEON Bank; Affin Bank Berhad; Affin Islamic Bank Berhad; Al Rajhi Bank Malaysia;
     Alliance Bank Malaysia Berhad; Alliance Islamic Bank Berhad; AmBank (M) Berhad; AmBank Islamic Berhad;
     Bangkok Bank Berhad; Bank Islam Malaysia Berhad; Bank Kerjasama Rakyat Malaysia Berhad | Bank Rakyat;
     Bank Muamalat Malaysia Berhad; Bank of America Malaysia Berhad; Bank of China (Malaysia) Berhad;
     Bank Pertanian Malaysia Berhad | Agrobank; Bank Simpanan Nasional | BSN; BNP Paribas Malaysia Berhad;
     Boost Bank; China Construction Bank (Malaysia) Berhad; CIMB Bank Berhad; CIMB Islamic Bank Berhad;
     Citibank Berhad; Deutsche Bank (Malaysia) Berhad; GXBank; Hong Leong Bank Berhad;
     Hong Leong Islamic Bank Berhad; HSBC Bank Malaysia Berhad; HSBC Amanah Malaysia Berhad;
     Industrial and Commercial Bank of China (Malaysia) Berhad; J.P. Morgan Chase Bank Berhad;
     KAF Digital Bank; Kuwait Finance House (Malaysia) Berhad; Malayan Banking Berhad | Maybank;
     Maybank Islamic Berhad; MBSB Bank Berhad; Mizuho Bank (Malaysia) Berhad; MUFG Bank (Malaysia) Berhad;
     OCBC Bank (Malaysia) Berhad; OCBC Al-Amin Bank Berhad; Public Bank Berhad; Public Islamic Bank Berhad;
     RHB Bank Berhad; RHB Islamic Bank Berhad; Ryt Bank; Standard Chartered Bank Malaysia Berhad;
     Standard Chartered Saadiq Berhad; Sumitomo Mitsui Banking Corporation Malaysia Berhad;
     United Overseas Bank (Malaysia) Berhad | UOB; BigPay; Boost; GrabPay Malaysia; ShopeePay Malaysia;
     Touch 'n Go eWallet`,
  ],
  [
    'NG',
    'NGN',
    `9 Payment Service Bank | 9PSB; Access Bank; Alternative Bank; Citibank Nigeria; Coronation Merchant Bank;
     Ecobank Nigeria; Fidelity Bank; First Bank of Nigeria | FirstBank; First City Monument Bank | FCMB;
     FSDH Merchant Bank; Globus Bank; Greenwich Merchant Bank; Guaranty Trust Bank | GTBank;
     Hope Payment Service Bank; Jaiz Bank; Keystone Bank; Lotus Bank; MoMo Payment Service Bank | MTN MoMo;
     Moneymaster Payment Service Bank; Nova Bank; Optimus Bank; Parallex Bank; Polaris Bank;
     PremiumTrust Bank; Providus Bank; Rand Merchant Bank Nigeria; Signature Bank;
     SmartCash Payment Service Bank; Stanbic IBTC Bank; Standard Chartered Bank Nigeria; Sterling Bank;
     SunTrust Bank; Summit Bank; TAJBank; Tatum Bank; Titan Trust Bank; Union Bank of Nigeria;
     United Bank for Africa | UBA; Unity Bank; Wema Bank; Zenith Bank; Carbon Microfinance Bank;
     FairMoney Microfinance Bank; Kuda Microfinance Bank | Kuda; Moniepoint Microfinance Bank | Moniepoint;
     OPay; PalmPay; Paga; Rubies Microfinance Bank; Sparkle Microfinance Bank; VFD Microfinance Bank`,
  ],
  [
    'PH',
    'PHP',
    `Al-Amanah Islamic Bank; Asia United Bank; ANZ Philippines; Bangkok Bank Philippines;
     Bank of China Philippines; Bank of Commerce; Bank of the Philippine Islands | BPI; BDO Network Bank;
     BDO Unibank | BDO; China Bank Savings; China Banking Corporation | Chinabank; CIMB Bank Philippines;
     Citibank Philippines; City Savings Bank; CTBC Bank (Philippines); Deutsche Bank Philippines;
     Development Bank of the Philippines | DBP; East West Banking Corporation | EastWest;
     Equicom Savings Bank; GoTyme Bank; HSBC Philippines; ING Philippines;
     Land Bank of the Philippines | LANDBANK; Legazpi Savings Bank; Malayan Bank; MariBank Philippines;
     Maya Bank; Maybank Philippines; Metropolitan Bank and Trust Company | Metrobank; Mizuho Bank Philippines;
     MUFG Bank Philippines; Overseas Filipino Bank | OFBank; Philippine Bank of Communications | PBCOM;
     Philippine Business Bank; Philippine National Bank | PNB; Philippine Savings Bank | PSBank;
     Philippine Trust Company | Philtrust; Philippine Veterans Bank; Producers Savings Bank; Queenbank;
     Rizal Commercial Banking Corporation | RCBC; Security Bank; Standard Chartered Philippines;
     Sterling Bank of Asia; Tonik Digital Bank; UCPB Savings Bank; Union Bank of the Philippines | UnionBank;
     UnionDigital Bank; UNObank; Wealth Development Bank; Coins.ph; GCash; GrabPay Philippines; Maya;
     PalawanPay; ShopeePay Philippines`,
  ],
  [
    'PK',
    'PKR',
    `Al Baraka Bank Pakistan; Allied Bank; Askari Bank; Bank Alfalah; Bank Al Habib; BankIslami Pakistan;
     Bank of Khyber; Bank of Punjab; Bank Makramah; Citibank Pakistan; Deutsche Bank Pakistan;
     Dubai Islamic Bank Pakistan; Faysal Bank; First Women Bank; Habib Bank | HBL; Habib Metropolitan Bank;
     ICBC Pakistan; Bank of China Pakistan; JS Bank; MCB Bank; MCB Islamic Bank; Meezan Bank;
     National Bank of Pakistan | NBP; Samba Bank; Silkbank; Sindh Bank; Soneri Bank; Standard Chartered;
     United Bank | UBL; Zarai Taraqiati Bank; Khushhali Microfinance Bank; Mobilink Microfinance Bank;
     HBL Microfinance Bank; NRSP Microfinance Bank; U Microfinance Bank; Easypaisa | Easypaisa Bank; JazzCash;
     Mashreq Pakistan; NayaPay; Raqami Islamic Digital Bank; SadaPay; UPaisa; Zindigi; Finja; Keenu`,
  ],
  ['RW', 'RWF', 'MTN Mobile Money | MTN MoMo; Airtel Money; MobiCash'],
  [
    'SG',
    'SGD',
    `ANEXT Bank; ANZ Singapore; Bank of Baroda Singapore; Bank of China Singapore | BOC;
     Bank of East Asia Singapore; Bank of Singapore; BNP Paribas Singapore; CIMB Bank Singapore;
     Citibank Singapore; DBS Bank; Deutsche Bank Singapore; GXS Bank; Green Link Digital Bank; HL Bank;
     HSBC Singapore; ICBC Singapore; ICICI Bank Singapore; Indian Bank Singapore;
     Indian Overseas Bank Singapore; JPMorgan Chase Bank Singapore; Maribank Singapore | MariBank;
     Maybank Singapore; Mizuho Bank Singapore; MUFG Bank Singapore; OCBC Bank; POSB;
     Qatar National Bank Singapore; RHB Bank Singapore; Sing Investments and Finance; Singapura Finance;
     Standard Chartered Singapore; State Bank of India Singapore;
     Sumitomo Mitsui Banking Corporation Singapore; Trust Bank Singapore; United Overseas Bank | UOB;
     UBS Singapore; GrabPay Singapore; LiquidPay; Wise Singapore`,
  ],
  [
    'SN',
    'XOF',
    'Orange Money; Wave; Free Money | Mixx by Yas; E-Money | Expresso E-Money; Wizall Money; Wari',
  ],
  [
    'SV',
    'USD',
    `Banco Abank | Abank; Banco Agrícola; Banco Atlántida El Salvador; Banco Azul de El Salvador;
     Banco Cuscatlán de El Salvador; Banco Davivienda Salvadoreño; Banco de América Central | BAC Credomatic;
     Banco de Fomento Agropecuario; Banco Hipotecario de El Salvador; Banco Industrial El Salvador;
     Banco Promerica; Citibank El Salvador; Scotiabank El Salvador; Fedecrédito; Multi Inversiones Mi Banco;
     Banco Cooperativo de los Trabajadores | Bancovi; Primer Banco de los Trabajadores;
     Sociedad de Ahorro y Crédito Apoyo Integral; Sociedad de Ahorro y Crédito Constelación;
     Sociedad de Ahorro y Crédito Credicomer; Chivo Wallet; N1co; Tigo Money; Transfer365 Móvil`,
  ],
  ['TG', 'XOF', 'Moov Money | Flooz; Mixx by Yas; T-Money'],
  [
    'TH',
    'THB',
    `Bangkok Bank; Bank for Agriculture and Agricultural Cooperatives | BAAC; Bank of Ayudhya | Krungsri;
     Bank of China (Thai); BNP Paribas Bangkok; CIMB Thai Bank; Citibank Bangkok; Deutsche Bank Bangkok;
     Export-Import Bank of Thailand | EXIM Thailand; Government Housing Bank | GHB;
     Government Savings Bank | GSB; HSBC Thailand; ICBC (Thai); Islamic Bank of Thailand;
     JPMorgan Chase Bank Bangkok; Kasikornbank | KBank; Kiatnakin Phatra Bank; Krungthai Bank;
     Land and Houses Bank | LH Bank; Mega International Commercial Bank Thailand; Mizuho Bank Bangkok;
     Siam Commercial Bank | SCB; Standard Chartered Bank (Thai); Sumitomo Mitsui Banking Corporation Bangkok;
     Thai Credit Bank; Tisco Bank; TMBThanachart Bank | ttb; United Overseas Bank (Thai) | UOB;
     LINE Pay Thailand | LINE Pay; ShopeePay Thailand; TrueMoney`,
  ],
  ['TZ', 'TZS', 'M-Pesa; Airtel Money; Halopesa | HaloPesa; Tigo Pesa | Mixx by Yas; T-Pesa; AzamPesa'],
  ['UG', 'UGX', 'MTN Mobile Money | MTN MoMo; Airtel Money; M-Sente'],
  [
    'VN',
    'VND',
    `ABBANK; ACB | Asia Commercial Bank; Agribank; Bac A Bank; BaoViet Bank; BIDV; BVBank; CIMB Bank Vietnam;
     Citibank Vietnam; Co-opBank; DBS Bank Vietnam; Eximbank; GPBank; HDBank; Hong Leong Bank Vietnam;
     HSBC Vietnam; Indovina Bank; KienlongBank; Kookmin Bank Vietnam; LPBank; MB Bank; MBV | MB Modern Bank;
     Mizuho Bank Vietnam; MSB | Maritime Bank; MUFG Bank Vietnam; Nam A Bank; National Citizen Bank | NCB;
     OCB | Orient Commercial Bank; PGBank; Public Bank Vietnam; PVcomBank; Sacombank; Saigonbank;
     SCB | Saigon Commercial Bank; SeABank; SHB; Shinhan Bank Vietnam; Standard Chartered Vietnam;
     Techcombank; TPBank; UOB Vietnam; VCBNeo; Viet A Bank; Vietbank; Vietcombank; VietinBank; Vikki Bank;
     VPBank; VRB | Vietnam-Russia Joint Venture Bank; VIB; Woori Bank Vietnam; Cake by VPBank; Timo;
     Ubank by VPBank; MoMo; ShopeePay Vietnam; Viettel Money; VNPT Money; ZaloPay`,
  ],
  [
    'ZA',
    'ZAR',
    `Absa Bank; Access Bank South Africa; African Bank; Albaraka Bank; Bank of China Johannesburg;
     Bank of Taiwan South Africa; Bank Zero; Bidvest Bank; BNP Paribas South Africa; Capitec Bank;
     Capitec Business; China Construction Bank Johannesburg; Citibank South Africa;
     Deutsche Bank Johannesburg; Discovery Bank; Finbond Mutual Bank; First National Bank | FNB;
     GBS Mutual Bank; Grindrod Bank; HBZ Bank; HSBC South Africa; ICICI Bank Johannesburg; Investec Bank;
     JPMorgan Chase Bank Johannesburg; Nedbank; Old Mutual Bank | OM Bank; Postbank | South African Postbank;
     Rand Merchant Bank; Sasfin Bank; Standard Bank; Standard Chartered Johannesburg;
     State Bank of India South Africa; TymeBank | GoTyme Bank; YWBN Mutual Bank`,
  ],
  ['ZM', 'ZMW', 'MTN Mobile Money | MTN MoMo; Airtel Money; Zamtel Money; Zed Mobile Money'],
]

/** All institutions, by country, in the order of the registers. */
export const INSTITUTIONS: readonly Institution[] = REGISTERS.flatMap(([country, currency, names]) =>
  names.split(';').map((text) => {
    const [bankName = '', displayName = bankName] = text.split('|').map((name) => name.trim())
    return { bankName, displayName, country, currency }
  }),
)

/** Returns the institutions of a country, of a currency, or of both. */
export function findInstitutions(filter: {
  readonly country?: string
  readonly currency?: string
}): readonly Institution[] {
  return INSTITUTIONS.filter(
    ({ country, currency }) =>
      (filter.country === undefined || filter.country === country) &&
      (filter.currency === undefined || filter.currency === currency),
  )
}
