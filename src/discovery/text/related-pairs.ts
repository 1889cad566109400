/** Narrower neighbours, most of them pairs; groups are set apart by `
  ; `. */ export const RELATED_PAIRS = ` sale clearance markdown rebate cashback; gift voucher card; compare cheapest
  best; subscription plan membership; wallet balance fund; atm bank branch; etf fund index bond treasury yield; option
  call put derivative future; ipo listing public; market trading trader trade; bull bear sentiment fear greed;
  inflation gdp economy economic unemployment macroeconomic; accounting ledger bookkeeping expense; balance sheet
  cashflow statement; sec filing annual quarterly report; report statement brief document; crypto gas mining staking;
  airdrop token; swap exchange trade; visa passport immigration; luggage baggage; cruise ship boat yacht; car rental
  hire; landmark attraction sightseeing sight monument; guide tour tourist; adventure explore outdoor; weekend getaway
  trip; check in boarding; delay status flight; vegan vegetarian diet; allergy allergen gluten; grocery supermarket
  food; pizza burger takeaway; takeout delivery food; wine vineyard winery; pregnant pregnancy maternity; covid
  coronavirus pandemic virus; cancer tumor oncology; trial clinical study; surgery operation; vaccine vaccination
  immunization; symptom sign condition; dentist dental; yoga stretch pilates; run running jog marathon; calorie burn;
  steps walk walking pedometer; meditate meditation relax calm; hire hiring recruiting freelancer; freelance gig
  contractor; internship intern; skill ability talent; linkedin profile professional; remote work; attorney counsel;
  divorce custody; sue litigation; privacy gdpr; compliance audit regulatory; governance policy compliance; bedroom
  bathroom apartment; land plot parcel; neighborhood district area; zip postal postcode; sell listing; magazine
  publication; reporter journalist; editorial opinion; rss feed subscribe; wikipedia encyclopedia article; biography
  life person; genealogy ancestor; museum exhibit; thesis dissertation; abstract paper; doi citation; pubmed medical
  article; hypothesis theory; experiment lab; equation formula solve; integral derivative calculus; matrix vector
  linear; triangle geometry angle circle; probability chance odds likelihood; standard deviation variance; regression
  correlation; median mean average; prime factor divisor; factorial permutation combination; binary hex hexadecimal
  decimal; round ceil floor; square root power exponent; volume capacity; temperature celsius fahrenheit; length
  distance meter; kilogram pound weight; momentum acceleration velocity; voltage current resistance circuit; wave
  frequency; atom molecule element periodic; reaction chemical; species animal bird fish wildlife; evolution fossil;
  ecology ecosystem; tree forest; farm farming agriculture crop; soil plant; moon lunar sun sunrise sunset; galaxy
  telescope; satellite orbit; rocket launch spacex; mars rover; volcano eruption; flood hurricane cyclone; traffic
  congestion road; parking garage; fuel gas petrol gasoline; electric ev charging battery; bike bicycle cycling;
  subway metro underground; airport terminal; visit visitor; venue place; ticket seat; theater theatre play musical;
  dance ballet; festival carnival; party celebration; guitar piano instrument; chord tab; beat tempo bpm rhythm; genre
  style; remix mix; lyric song; film trailer; anime manga; cartoon animation animate; celebrity star famous; award
  oscar prize; comic superhero; puzzle riddle crossword; sudoku puzzle; card poker deck; bet betting gambling odds;
  lottery jackpot; minecraft roblox steam; console xbox playstation; dungeon dragon rpg; quest mission; level rank;
  leaderboard ranking standing; standing table league; season schedule fixture; goal score; coach manager; olympic
  athlete medal; golf tennis cricket baseball hockey; race racing formula; boxing fight ufc; vocabulary flashcard;
  pronounce pronunciation; accent dialect; alphabet letter character; rhyme poem; haiku poem; essay paper; plagiarism
  originality; outline structure; proofread correct spelling; tone style voice; headline title; slogan tagline;
  copywriting content; content material text; blog content; newsletter email; template boilerplate; letter mail;
  signature sign esign; form field; survey response; homework assignment; grade mark score; exam certification;
  scholarship tuition; kindergarten preschool; bedtime story; toy game; parent mother father; infographic chart;
  wallpaper background; portrait face; face facial recognition; crop trim cut; watermark overlay; thumbnail preview;
  render rendering; 3d model mesh; blueprint plan; architecture diagram; whiteboard canvas; sketch wireframe; ui
  interface; frontend web; pixel resolution; brightness contrast; blur filter; stream streaming live; record recording
  capture; clip trim; playlist queue; volume loud; microphone speaker; narrate narration voiceover; dictation
  transcribe; ocr recognize text; scan scanner; merge combine pdf; sheet tab; cell range; formula function; pivot
  table; macro script; slide page; heading title; paragraph text; footnote endnote; bullet list; bold italic format;
  annotate annotation comment; highlight mark; bookmark favorite save; clipboard paste copy; tag label; label
  category; category type class; classify classification categorize; cluster group; group team; topic subject theme;
  keyword term; phrase sentence; sentiment emotion opinion; emotion feeling mood; detect detection recognize identify;
  identify recognize determine; recognize recognition; tokenize token; embed embedding vector; similar similarity
  alike; match matching; rank ranking order; score rating; sync synchronize; import load; export save; share sharing;
  publish post; post publish submit; submit send; reply respond answer; answer question response; ask question query;
  question query; request ask; confirm verify; approve approval; reject deny; invite invitation; join enter; leave
  exit quit; follow subscribe; block ban; mute silence; unread new; forward send; attach attachment file; inbox
  mailbox; spam junk; call dial; whatsapp telegram message; discord server channel; notification alert; alert alarm
  warning; incident outage; uptime availability; status state health; health status check; latency performance speed;
  performance benchmark; slow performance; memory ram; cpu processor; process pid; thread concurrency; queue message;
  topic event; event log; trigger webhook; schedule cron; job task; batch bulk; cache redis; index search; schema
  structure; migrate migration; replica replication; shard partition; nosql mongodb document; blob storage bucket s3;
  bucket storage; volume disk; quota limit; usage consumption; cost billing; tenant organization; region location;
  zone region; firewall rule; vpn network; subnet network; port socket; proxy gateway; gateway endpoint; load balance;
  certificate ssl tls; token key; secret vault; vault secret key; role identity; identity user; authorize
  authorization permission; audit log; scan vulnerability; malware virus threat; attack threat; phishing scam fraud;
  scam fraud; leak breach; risk hazard; patch update; upgrade update; version release; rollback revert; revert undo;
  undo reset; reset clear; clear remove empty; purge delete; tree hierarchy; parent child; class object; function
  method; variable value; argument parameter; parameter option; option setting; config configuration; environment env;
  package library module dependency; library package; npm package; python script; javascript node; html web; css
  style; json yaml xml; regex pattern; array list; dictionary map; loop iterate; compile compiler; lint format;
  refactor rewrite; unit test; coverage test; snippet code; notebook jupyter; terminal shell command cli bash; command
  execute; shell terminal; plugin extension addon; extension plugin; browser chrome; click press; tab page; cookie
  session; session login; form input; input enter; type enter; scroll navigate; navigate open visit; wait pause sleep;
  pause stop; resume continue; timer countdown stopwatch; alarm clock; timezone utc; weekday day; month year; holiday
  festival; birthday date; deadline due; overdue late; priority urgent; milestone goal; goal objective target; sprint
  agile; board kanban trello; epic story; assign owner; owner author; contributor author; pr pull; fork clone; star
  popular; license licence; crm lead salesforce; lead prospect customer; deal opportunity; quote estimate; estimate
  approximate; warehouse storage; logistics shipping; track tracking trace; trace tracking; address street; street
  road; coordinate latitude longitude; latitude longitude; elevation altitude; terrain map; radius distance; region
  area; capital city; border country; continent country; embassy consulate; language speak; culture tradition; prayer
  worship; philosophy ethics; psychology mental; personality trait; dream sleep; luck fortune; lucky number;
  compatibility match; couple relationship; wedding venue; baby name; domain name; username handle; nickname name;
  random generate; uuid guid id; identifier id; mock fake; sample example; demo sample; tutorial guide; guide manual;
  manual documentation; documentation docs; help guide; faq question; archive backup; restore recover; sensor iot
  device; light lamp; thermostat temperature; smart home; camera video; door lock; appliance device; vacuum robot;
  battery power; solar energy; recycle waste; sustainable green; donate donation; volunteer charity; vote poll;
  senator congress; policy regulation; military army; war conflict; weapon gun; firefighter fire; ambulance emergency;
  shelter adoption; adopt pet; veterinarian vet pet; breed dog; aquarium fish; perfume fragrance; nail manicure;
  tattoo ink; barber hair; spa massage; outfit style; handbag bag; watch clock; jewel diamond gold; gold silver metal;
  oil commodity; commodity price; auction bid; antique vintage; collectible collection; craft diy; sew knit; paint
  color; tool utility; repair maintenance; plumber electrician; clean cleaning; moving relocation; neighbor community;
  community forum; forum discussion reddit; discussion thread; influencer creator; creator author; follower audience;
  engagement like; view watch; listen hear; hear audio; speak talk; improve optimize enhance; optimize optimization
  improve; boost increase; increase grow; decrease reduce; limit restrict; expand extend; shorten short; short brief;
  long length; large big; small little; fast quick; easy simple; hard difficult; difficult challenge; good great; bad
  poor; new latest; old past; free cost; expensive price; rich wealth
`;
