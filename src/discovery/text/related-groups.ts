/** Words for one thing, and words that go with it; groups are set apart by `;`. */
export const RELATED_GROUPS = `
  weather forecast temperature rain snow storm wind humidity climate sunny umbrella meteorological; stock share ticker
  equity nasdaq portfolio shareholder dividend; invest investment investor portfolio fund asset broker; finance
  financial money bank budget fiscal; company business firm corporation enterprise organization; revenue earnings
  income profit sales turnover; price cost fee charge fare rate expense; buy purchase shop order acquire; shop
  shopping store product merchant retail ecommerce marketplace; cheap discount deal coupon promo bargain offer sale
  voucher affordable save; product item goods merchandise; brand maker manufacturer; currency exchange forex dollar
  euro conversion; crypto cryptocurrency bitcoin ethereum blockchain token coin wallet defi nft; pay payment checkout
  billing transaction transfer; bill invoice receipt; tax vat irs; loan mortgage credit debt lending interest;
  insurance policy coverage claim premium; travel trip vacation holiday journey tour itinerary destination tourism;
  flight airline airfare plane airport fly aviation; hotel accommodation lodging stay resort hostel room airbnb; book
  booking reserve reservation; restaurant dining eat dinner lunch cafe bistro eatery; food meal dish cuisine eat;
  recipe cook cooking ingredient bake kitchen meal dish chef; drink beverage wine beer cocktail coffee; nutrition
  calorie diet nutrient vitamin protein meal; health medical disease symptom patient clinical illness doctor
  healthcare; medicine drug medication prescription pharmaceutical pharmacy; fitness exercise workout gym training
  muscle; doctor physician clinic hospital; mental therapy stress anxiety mood meditation mindfulness wellbeing; job
  career employment vacancy hiring recruit occupation work; resume cv cover applicant candidate; salary wage pay
  compensation income; lawyer attorney legal law court lawsuit statute; contract agreement clause; law legislation
  bill regulation statute act congress; house home property estate apartment mortgage realtor housing residence; rent
  rental lease tenant; news headline article journalist press story breaking; article post story paper blog; paper
  research academic scholar publication journal arxiv study literature; scientist scholar author researcher; citation
  reference bibliography; book novel read reading author library literature ebook; poem poetry verse poet; quote
  quotation saying inspiration inspirational motivational; story tale narrative fiction; joke humor funny comedy
  laugh; movie film cinema actor actress director imdb; tv television series episode show streaming; music song track
  album artist playlist singer band melody spotify musician; lyrics song verse; concert event gig festival ticket;
  podcast episode audio show; radio station broadcast; game gaming player play gamer; sport team match league player
  score tournament athlete; football soccer nfl fifa; basketball nba; chess board; event calendar schedule meeting
  appointment; calendar schedule agenda planner appointment reminder; remind reminder alarm notification notify; task
  todo project issue ticket; plan planner planning schedule organize; note memo notebook notes; learn learning
  education educational study course student teach tutor lesson school; course class lecture lesson curriculum mooc;
  teacher tutor instructor educator; student pupil learner; quiz question exam trivia test; university college campus
  school; kid child children toddler; baby infant newborn; pet dog cat animal puppy; plant garden gardening flower;
  translate translation language interpreter multilingual; language english spanish french german chinese japanese
  linguistic; word vocabulary dictionary definition synonym; meaning definition define dictionary; grammar spelling
  proofread writing; write writing compose draft author generate; essay writing paragraph composition; summarize
  summary summarise digest abstract brief condense overview; explain explanation clarify describe; rewrite paraphrase
  rephrase reword; text string sentence; image picture photo photograph illustration pic; draw drawing sketch paint
  art illustration artwork; diagram chart flowchart graph mermaid visualize; chart plot graph visualization visualize;
  design designer template layout logo; logo brand icon; color colour palette hue; art artwork artist museum gallery
  painting; video clip youtube movie footage; youtube video channel transcript; audio sound voice speech; voice speech
  speak spoken tts; transcribe transcript transcription caption subtitle; photo camera picture; avatar profile; meme
  gif sticker; font typeface; document doc file pdf; pdf document page; spreadsheet excel sheet csv worksheet
  workbook; presentation slide powerpoint ppt slideshow deck; word docx document; file directory folder path; folder
  directory; disk storage space drive; upload attach; download fetch save; save store write persist; copy duplicate
  clone; move rename; zip archive compress; backup restore recovery snapshot; search find lookup query discover look;
  find locate discover search; browse browser web webpage website; website site webpage page url web; url link
  hyperlink; scrape crawl extract webpage; crawl spider scrape; internet web online; domain dns whois hostname; ip
  address geolocation; network connection traffic; server host machine; vm virtual machine instance; cloud aws azure
  gcp; container docker image; kubernetes k8s cluster pod; deploy deployment release publish; log logs trace
  diagnostic; monitor monitoring watch track observe; metric measure statistic telemetry; error bug fault failure
  exception issue; fix repair solve resolve; debug troubleshoot diagnose; code program script programming source; code
  coding developer software; compile build; run execute launch start; start begin launch; stop halt terminate kill
  end; cancel abort revoke; test testing verify; check verify validate inspect; validate valid verify; compare
  comparison difference versus; diff difference change; git repository commit branch version; repo repository github
  gitlab; merge pull; app application software; api endpoint interface; database sql query table postgres mysql; table
  row column; record entry row; collection dataset; key secret credential; password credential login passphrase; login
  signin authenticate auth sign; user account member profile; account profile subscription; permission role access
  privilege; security secure vulnerability threat; encrypt encryption cipher decrypt; hash checksum digest; email mail
  inbox gmail message; message chat sms text send; send deliver dispatch mail; chat conversation talk discuss
  dialogue; slack teams channel message; phone telephone mobile call; contact person people; people person individual
  human; friend family; social twitter facebook instagram tiktok media; tweet twitter post; hashtag trend trending;
  trend trending popular hot; popular top best trending; like favorite; review rating feedback opinion; recommend
  recommendation suggest suggestion advice; advice tip guidance suggestion recommend; idea brainstorm inspiration;
  survey poll questionnaire form; gift present; wedding marriage bride; love dating romance relationship; name naming
  title; map location place geographic navigation; location place address coordinate position where; near nearby local
  around; direction route navigate navigation path; distance far kilometer mile; drive driving route car; car vehicle
  automobile auto driving; train rail railway; bus transit transport transportation; taxi uber ride cab; ship shipping
  freight vessel cargo; parcel package shipment tracking delivery courier; delivery deliver shipping; city town
  municipality urban; country nation; state province region; population demographic census; country nation flag; time
  clock hour timezone; date day calendar; today current now; current latest real live recent; history historical past;
  future predict prediction forecast projection; predict forecast estimate projection; number digit numeric integer;
  math mathematics arithmetic equation algebra; calculate compute computation evaluate determine; add sum plus;
  subtract minus; multiply product times; divide quotient; average mean; max maximum highest largest; min minimum
  lowest smallest; sort order rank; count number total tally; percent percentage ratio; area size surface; speed
  velocity; force gravity physics; energy power electricity; chemistry chemical molecule compound element; gene
  genetic dna genome protein; cell biology; planet astronomy space star nasa solar; star constellation horoscope
  zodiac astrology; horoscope zodiac astrology tarot fortune; tarot fortune divination; bible verse scripture; quran
  verse surah; religion god church faith; statistics statistical stats analytics; analytics analysis insight
  statistic; analyze analysis analyse examine evaluate; data dataset information; information info detail data fact;
  detail details information; knowledge wiki wikipedia encyclopedia fact; fact trivia knowledge; random dice; convert
  conversion transform translate; unit measurement metric; format formatting style; parse extract read; read view open
  load; show display view list; list enumerate show all; get retrieve fetch obtain; retrieve fetch get return; create
  make generate new build; generate create produce; add insert append create; delete remove erase drop destroy; update
  modify edit change alter; edit modify change update; set configure assign; configure configuration setting setup;
  enable activate; disable deactivate; install setup; choose select pick; filter select; split divide separate;
  combine join merge concatenate; replace substitute; resize scale crop; property attribute; prompt chatgpt gpt llm;
  ai artificial intelligence model; model machine learning; agent assistant bot; chatbot assistant bot; robot
  automation; automate automation workflow; workflow pipeline process; process processing; device gadget hardware
  phone laptop; computer pc laptop; screen screenshot display; print printer; qr barcode code; seo keyword ranking; ad
  advertisement advertising marketing campaign; marketing campaign advertising promotion; customer client consumer;
  sell seller sale; supplier vendor; inventory stock warehouse; subscribe subscription; support help assistance
  service; charity donation nonprofit; government public policy; election vote candidate; president government
  politics political; crime police; emergency alert warning; earthquake disaster tsunami; environment environmental
  carbon emission climate; water ocean sea river; air pollution quality; park outdoor hiking trail; beach sea coast;
  fashion clothes clothing apparel outfit dress wear; shoe sneaker footwear; beauty makeup cosmetic skincare; hair
  hairstyle; jewelry ring; furniture decor interior; interior decor design; age birthday born; birthday anniversary;
  gender male female; weight mass bmi; height tall; sleep rest; mortgage amortization; retire retirement pension;
  startup founder venture; patent invention trademark; interview question; meeting conference zoom; team collaborate
  collaboration; comment reply feedback; video meeting
`;
